//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

/// A folder: an app, an archive of Xcode's, or a source tree.
struct AppFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    private static let maximumDepth = 16
    /// More entries than a source tree has beside its fetched dependencies.
    private static let maximumEntries = 100_000
    private static let maximumLists = 500
    /// Folders of what is fetched or built, and parts of apps that load nothing by their own rules.
    private static let skipped = Set([
        "Pods", "Carthage", "node_modules", "DerivedData", "build", "Frameworks", "Resources", "_CodeSignature",
        "dSYMs",
    ])

    /// The Info.plists below it; without one, the reason as one that cannot be read.
    func propertyLists() -> [AppPropertyList] {
        var paths: [String] = []
        var left = Self.maximumEntries
        self.search(self.path, depth: 0, left: &left, into: &paths)
        if paths.count >= Self.maximumLists { left = 0 }
        let lists = paths.sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }.map(Self.list)
        guard lists.isEmpty || left <= 0 else { return lists }
        let message =
            left <= 0
            ? "the folder has more than \(Self.maximumEntries) entries, or \(Self.maximumLists) Info.plists. Give the folder of "
                + "one app"
            : "the folder has no Info.plist. Give an app, a source tree, or the file itself"
        return lists + [AppPropertyList(self.path, .file, result: .failure(InfoPropertyListError(message, at: nil)))]
    }

    private func search(_ folder: String, depth: Int, left: inout Int, into paths: inout [String]) {
        guard depth < Self.maximumDepth, paths.count < Self.maximumLists,
            let names = try? BoundedFile.entries(of: folder)
        else { return }
        for name in names {
            left -= 1
            guard left > 0 else { return }
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            // A link may lead anywhere, and around.
            if BoundedFile.isLink(path) { continue }
            if BoundedFile.isFolder(path) {
                if !Self.skipped.contains(name) { self.search(path, depth: depth + 1, left: &left, into: &paths) }
            } else if Self.isList(name) || Self.isManifest(name, path) {
                paths.append(path)
            }
        }
    }

    private static func isList(_ name: String) -> Bool {
        name == "Info.plist" || name.hasSuffix("-Info.plist") || name == "project.pbxproj"
    }

    /// Other programs have files of this name: without Expo's key it is not one of its.
    private static func isManifest(_ name: String, _ path: String) -> Bool {
        guard name == "app.json", let octets = try? BoundedFile.read(path, maximumSize: 1 << 20) else { return false }
        return ExpoManifest.isManifest(octets)
    }

    private static func list(_ path: String) -> AppPropertyList {
        do throws(InfoPropertyListError) {
            let list = try AppPropertyList.file(path)
            guard list.owner == .file else { return list }
            return AppPropertyList(
                path, AppPropertyList.Owner(path: path), result: list.result, octets: list.octets, note: list.note)
        } catch {
            return AppPropertyList(path, .file, result: .failure(error))
        }
    }

    /// The app comes before what is in it.
    private static func rank(_ path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: "/") } }
}

extension AppPropertyList {
    fileprivate init(
        _ path: String, _ owner: Owner, result: Result<InfoPropertyList, InfoPropertyListError>, octets: [UInt8]?,
        note: String?
    ) {
        self.init(path, owner, result: result, note: note)
        self.octets = octets
    }
}

extension AppPropertyList.Owner {
    /// The owner of an Info.plist, by its place.
    init(path: String) {
        let folders = path.split(separator: "/").dropLast()
        let bundle = folders.last == "Contents" ? folders.dropLast().last : folders.last
        if bundle?.hasSuffix(".appex") == true {
            self = .appExtension
        } else if bundle?.hasSuffix(".app") == true {
            self = folders.contains("Watch") ? .watchApp : .app
        } else {
            self = .file
        }
    }
}
