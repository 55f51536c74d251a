//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
import ServerTrust

/// The parts of an Info.plist that concern App Transport Security.
///
/// The file may be in XML, in binary, or in JSON as `plutil` writes it.
///
/// ```swift
/// let plist = try InfoPropertyList(contentsOf: "Info.plist")
/// let policy = ATSPolicy(plist)
/// ```
public struct InfoPropertyList: Sendable, Hashable {
    /// The dictionary under `NSAppTransportSecurity`. It is `nil` if the key is missing, and all defaults apply.
    ///
    /// A value other than a dictionary becomes an empty dictionary with an issue.
    public let transportSecurity: ATSDictionary?

    /// The other keys of the Info.plist with their places.
    public let otherKeys: [ATSEntry<String>]

    /// Reads an Info.plist.
    ///
    /// A file that holds the dictionary itself, without its key, is read as an Info.plist without the key, as on Apple's systems.
    /// The two are otherwise indistinguishable, because a project's Info.plist may have few keys.
    ///
    /// - Parameter bytes: The contents of a file, at most 4 MiB.
    /// - Throws: InfoPropertyListError if the file is not a property list, or not a dictionary. Such a file never counts as one
    ///   without the key.
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

    /// Creates an Info.plist from a parsed tree.
    ///
    /// - Parameter root: The content of the file.
    /// - Throws: InfoPropertyListError if it is not a dictionary.
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

    /// Reads an Info.plist from a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: InfoPropertyListError if the file cannot be read, or is not an Info.plist.
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

/// An Info.plist that cannot be read, and the remedy.
public struct InfoPropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, and the remedy in a sentence after it.
    public let message: String
    /// The place of the problem, or `nil` if it is not known.
    public let position: TextPosition?

    package init(_ message: String, at position: TextPosition?) {
        self.message = message
        self.position = position
    }

    /// The place, the problem and the remedy.
    public var description: String {
        guard let position else { return self.message }
        return "line \(position.line), column \(position.column): \(self.message)"
    }
}
