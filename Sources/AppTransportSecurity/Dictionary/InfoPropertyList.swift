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

    /// The other keys of the Info.plist, with their places; none where the file is the dictionary itself.
    public let otherKeys: [ATSEntry<String>]

    /// Reads an Info.plist.
    ///
    /// Also a file that holds nothing but the dictionary itself is read, as tools print it.
    ///
    /// - Parameter bytes: The contents of a file, 4 MiB at most.
    /// - Throws: InfoPropertyListError when it is no property list, or not a dictionary. Never taken for one without
    ///   the key.
    public init(_ bytes: [UInt8]) throws(InfoPropertyListError) {
        let root: DocumentNode
        do {
            root = try PropertyListDocument.parse(bytes)
        } catch {
            throw InfoPropertyListError("\(error.message)", at: error.position)
        }
        guard let entries = root.dictionary else {
            throw InfoPropertyListError(
                "it holds \(root.kindName) where an Info.plist holds a dictionary; give an app's Info.plist",
                at: root.position)
        }
        var reader = ATSDictionaryReader()
        self.transportSecurity = reader.dictionary(inRoot: entries, at: root.position)
        // Of a file that is the dictionary itself, no key is another.
        let others = entries.contains { $0.key == ATSKey.section } || self.transportSecurity == nil ? entries : []
        self.otherKeys = others.filter { $0.key != ATSKey.section }.map { ATSEntry($0.key, at: $0.keyPosition) }
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
            throw InfoPropertyListError("\(error.reason.clause); give the Info.plist of an app", at: nil)
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

    init(_ message: String, at position: TextPosition?) {
        self.message = message
        self.position = position
    }

    /// The place, what is wrong and what to do.
    public var description: String {
        guard let position else { return self.message }
        return "line \(position.line), column \(position.column): \(self.message)"
    }
}
