//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
import ServerTrust

/// An Info.plist, as far as App Transport Security is concerned: in XML, binary, or JSON as `plutil` writes it.
public struct InfoPropertyList: Sendable, Hashable {
    /// The dictionary under `NSAppTransportSecurity`; `nil` when there is no such key, and all defaults hold.
    ///
    /// Of a value that is no dictionary it is a dictionary without keys, with an issue that says so.
    public let transportSecurity: ATSDictionary?

    /// The other keys of the Info.plist, with their places.
    public let otherKeys: [ATSEntry<String>]

    /// Reads an Info.plist.
    ///
    /// A file that holds the dictionary itself, and not under its key, is an Info.plist without it, as on Apple's systems:
    /// where a project's Info.plist has few keys, nothing else tells the two apart.
    ///
    /// - Parameter bytes: The contents of a file, 4 MiB at most.
    /// - Throws: InfoPropertyListError when it is no property list, or not a dictionary. Never taken for one without
    ///   the key.
    public init(_ bytes: [UInt8]) throws(InfoPropertyListError) {
        let root: DocumentNode
        do {
            root = try PropertyListDocument.parse(bytes)
        } catch {
            let kind = FileKind(of: bytes)
            guard kind.isOfCertificates else { throw InfoPropertyListError("\(error.message)", at: error.position) }
            throw InfoPropertyListError(
                "this is \(kind.title), and no property list. Give an app's Info.plist", at: nil)
        }
        try self.init(root)
    }

    /// An Info.plist that is a tree already.
    ///
    /// - Parameter root: What the file holds.
    /// - Throws: InfoPropertyListError when it is not a dictionary.
    package init(_ root: DocumentNode) throws(InfoPropertyListError) {
        guard let entries = root.dictionary else {
            throw InfoPropertyListError(
                "it holds \(root.kindName) where an Info.plist holds a dictionary. Give an app's Info.plist",
                at: root.position)
        }
        var reader = ATSDictionaryReader()
        self.transportSecurity = reader.dictionary(inRoot: entries)
        self.otherKeys = entries.filter { $0.key != ATSKey.section }.map { ATSEntry($0.key, at: $0.keyPosition) }
    }

    /// Reads an Info.plist.
    ///
    /// - Parameter path: A file.
    /// - Throws: InfoPropertyListError when it cannot be read, or is no Info.plist.
    public init(contentsOf path: String) throws(InfoPropertyListError) {
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.read(path)
        } catch {
            throw InfoPropertyListError("\(error.reason.clause). Give the Info.plist of an app", at: nil)
        }
        try self.init(bytes)
    }
}

/// An Info.plist that cannot be read, and what to do about it.
public struct InfoPropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and, behind a semicolon, what to do.
    public let message: String
    /// Where, as far as that is known.
    public let position: TextPosition?

    package init(_ message: String, at position: TextPosition?) {
        self.message = message
        self.position = position
    }

    /// The place, what is wrong and what to do.
    public var description: String {
        guard let position else { return self.message }
        return "line \(position.line), column \(position.column): \(self.message)"
    }
}
