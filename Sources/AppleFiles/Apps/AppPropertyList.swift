//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import ConfigurationDocuments
import Inflate
import ServerTrust

/// An Info.plist and its location: a single file, an app, an archive, or a source tree.
package struct AppPropertyList: Sendable {
    /// The kind of bundle that an Info.plist belongs to.
    package enum Owner: String, Sendable {
        /// A single file outside a bundle.
        case file
        case app
        case appExtension = "extension"
        case watchApp = "watch-app"
        /// The settings of a project from which its Info.plist is generated.
        case project
    }

    /// The path of the file. For an archive, a colon and the path within the archive follow.
    package let path: String
    package let owner: Owner
    /// The Info.plist, or the reason that it cannot be read.
    package let result: Result<InfoPropertyList, InfoPropertyListError>
    /// The octets of the property list, or `nil` if its settings come from another kind of file.
    package var octets: [UInt8]?
    /// A remark about the file, for example that it is a fragment.
    package var note: String?

    init(_ path: String, _ owner: Owner, octets: [UInt8]) {
        self.path = path
        self.owner = owner
        self.octets = octets
        self.result = Self.result { () throws(InfoPropertyListError) in try InfoPropertyList(octets) }
    }

    init(
        _ path: String, _ owner: Owner, result: Result<InfoPropertyList, InfoPropertyListError>, note: String? = nil
    ) {
        self.path = path
        self.owner = owner
        self.result = result
        self.note = note
    }
}

extension AppPropertyList {
    static func result(
        _ read: () throws(InfoPropertyListError) -> InfoPropertyList
    ) -> Result<InfoPropertyList, InfoPropertyListError> {
        do throws(InfoPropertyListError) { return .success(try read()) } catch { return .failure(error) }
    }

    /// Returns the Info.plists of a file or folder. There is at least one element, and some may be errors.
    ///
    /// - Parameter path: An Info.plist, a fragment of one, an app, an .ipa or .xcarchive, a source tree, Expo's app.json,
    ///   or a project.pbxproj.
    package static func all(at path: String) -> [AppPropertyList] {
        if BoundedFile.isFolder(path) { return AppFolder(path).propertyLists() }
        do throws(InfoPropertyListError) {
            if let archive = try AppArchive(path) { return try archive.propertyLists() }
            return [try Self.file(path)]
        } catch {
            return [AppPropertyList(path, .file, result: .failure(error))]
        }
    }

    /// Returns the octets of the first Info.plist of an app, an archive or a folder, or `nil` if the path is a single file.
    ///
    /// - Throws: `InfoPropertyListError` if there is no Info.plist, or if it cannot be read.
    package static func octets(ofAppAt path: String) throws(InfoPropertyListError) -> [UInt8]? {
        if !BoundedFile.isFolder(path), try AppArchive(path) == nil { return nil }
        guard let list = self.all(at: path).first else { return nil }
        _ = try list.result.get()
        return list.octets
    }

    /// Reads one file of any supported kind except an archive.
    static func file(_ path: String) throws(InfoPropertyListError) -> AppPropertyList {
        let limit = path.hasSuffix(".pbxproj") ? ProjectFile.maximumSize : BoundedFile.maximumSize
        let octets: [UInt8]
        do {
            octets = try BoundedFile.read(path, maximumSize: limit)
        } catch {
            throw InfoPropertyListError("\(error.reason.clause). Give the Info.plist of an app", at: nil)
        }
        if let fragment = PropertyListFragment.completed(octets) {
            var list = AppPropertyList(path, .file, octets: fragment)
            list.note = "It is a fragment, and is read as part of an Info.plist."
            return list
        }
        if ProjectFile.isProject(octets) { return try ProjectFile(path, octets).propertyList() }
        if let list = ExpoManifest.propertyList(path, octets) { return list }
        return AppPropertyList(path, .file, octets: octets)
    }

    /// Returns the keys with other values than in the app's own Info.plist.
    package func differences(from app: AppPropertyList) -> [String] {
        guard case .success(let own) = self.result, case .success(let other) = app.result else { return [] }
        let (left, right) = (own.transportSecurity, other.transportSecurity)
        return ATSDictionary.keys(inWhich: left ?? ATSDictionary(), differsFrom: right ?? ATSDictionary())
    }
}

extension ATSDictionary {
    /// Returns the keys of NSAppTransportSecurity in which two dictionaries differ.
    fileprivate static func keys(inWhich left: ATSDictionary, differsFrom right: ATSDictionary) -> [String] {
        let (left, right) = (left.plainEntries, right.plainEntries)
        return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
    }

    /// The values by key. Each host of a dictionary of hosts has an entry of its own.
    private var plainEntries: [String: DocumentNode] {
        let entries = (self.node.dictionary ?? []).flatMap { entry in
            entry.key.hasSuffix("Domains")
                ? (entry.value.dictionary ?? []).map { ("\(entry.key)/\($0.key)", $0.value) }
                : [(entry.key, entry.value)]
        }
        return Dictionary(entries, uniquingKeysWith: { _, last in last })
    }
}

/// A part of a property list without its outermost elements, as articles print it.
enum PropertyListFragment {
    /// Returns the fragment as a complete property list, or `nil` if the octets are not a fragment. Line numbers do not change.
    static func completed(_ octets: [UInt8]) -> [UInt8]? {
        let text = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? octets.dropFirst(3) : octets[...]
        let content = self.contentStart(text)
        let isKey = content.starts(with: "<key>".utf8)
        guard isKey || content.starts(with: "<dict>".utf8), !octets.starts(with: "bplist".utf8) else { return nil }
        let (start, end) =
            isKey ? ("<plist version=\"1.0\"><dict>", "</dict></plist>") : ("<plist version=\"1.0\">", "</plist>")
        return Array(start.utf8) + Array(text) + Array(end.utf8)
    }

    private static func contentStart(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.drop { $0 <= 0x20 }
        while rest.starts(with: "<!--".utf8), let end = rest.firstRange(of: "-->".utf8) {
            rest = rest[end.upperBound...].drop { $0 <= 0x20 }
        }
        return rest
    }
}
