//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

/// A folder that contains Info.plists: an app, an Xcode archive, or a source tree.
struct AppFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    private static let maximumDepth = 16
    /// The most entries that are visited. A source tree without its fetched dependencies has fewer.
    private static let maximumEntries = 100_000
    private static let maximumLists = 500
    /// Names of folders that hold fetched dependencies or build products, or parts of an app without rules of their own.
    private static let skipped = Set([
        "Pods", "Carthage", "node_modules", "DerivedData", "build", "Frameworks", "Resources", "_CodeSignature",
        "dSYMs",
    ])

    /// Returns the Info.plists below the folder. The last element is an error if there is none, or if a limit was reached.
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
            // A symbolic link may leave the folder or form a loop.
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

    /// Returns `true` if the file is an app.json with a key of Expo's. Other programs use the same file name.
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

    /// Returns the depth of a path, so that the app comes before the bundles inside it.
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
    /// Creates the owner that the path of an Info.plist indicates.
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
