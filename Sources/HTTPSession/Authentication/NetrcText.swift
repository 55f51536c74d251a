//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The user names and passwords of a `.netrc` file, in the format of curl and ftp.
///
/// Words are separated by white space. A word in double quotes may contain white space and the escapes `\"`, `\\`, `\n`, `\r` and
/// `\t`. A word that begins with `#` starts a comment up to the end of the line.
///
/// ```
/// machine api.example.com login user password secret
/// default login anonymous password ""
/// ```
public struct NetrcText: Sendable {
    /// An entry of the file.
    private struct Entry {
        /// The name of the machine, or `nil` for the default entry.
        var machine: String?
        var user: String?
        var password: String?
    }

    private let entries: [Entry]

    private static let maximumEntries = 10_000

    /// Reads a file. Unknown words are skipped, and a password is only ever assigned to the entry that precedes it.
    ///
    /// - Parameter text: The octets of the file.
    public init(_ text: some Sequence<UInt8>) {
        var reader = NetrcReader(text)
        var entries: [Entry] = []
        while let word = reader.next(), entries.count < Self.maximumEntries {
            switch word.lowercased() {
            case "machine": entries.append(Entry(machine: reader.next()?.lowercased() ?? ""))
            case "default": entries.append(Entry())
            case "macdef": reader.skipMacro()
            case "login": Self.set(\.user, to: reader.next(), of: &entries)
            case "password": Self.set(\.password, to: reader.next(), of: &entries)
            case "account": _ = reader.next()
            default: break
            }
        }
        self.entries = entries
    }

    private static func set(_ part: WritableKeyPath<Entry, String?>, to word: String?, of entries: inout [Entry]) {
        guard let last = entries.indices.last, entries[last][keyPath: part] == nil else { return }
        entries[last][keyPath: part] = word
    }

    /// Returns the credential for a host, from the first entry that matches it or is the default.
    ///
    /// - Parameters:
    ///   - host: The name or address of the host as in a URL, in lower case.
    ///   - user: The required user name, or `nil` to use the one of the entry.
    /// - Returns: `nil` if no entry matches the host and the user name.
    /// - Throws: ``HTTPAuthenticationError/controlCharacter`` if the user name or password contains a control character.
    public func credential(
        forHost host: String, user: String? = nil
    ) throws(HTTPAuthenticationError) -> HTTPCredential? {
        let entry = self.entries.first { entry in
            (entry.machine ?? host) == host && (user == nil || entry.user == nil || entry.user == user)
        }
        guard let entry, let name = user ?? entry.user ?? entry.password.map({ _ in "" }) else { return nil }
        return try HTTPCredential(user: name, password: entry.password ?? "")
    }
}

extension NetrcText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "NetrcText(\(self.entries.count) entries)" }

    /// The same text as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A reader for the words of a `.netrc` file.
private struct NetrcReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Sequence<UInt8>) { self.rest = ArraySlice(Array(text)) }

    /// Returns the next word, or `nil` at the end and for an unterminated quoted word.
    mutating func next() -> String? {
        while let octet = self.rest.first {
            switch octet {
            case _ where Self.isBlank(octet): self.rest = self.rest.dropFirst()
            case UInt8(ascii: "#"): self.rest = self.rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "\""): return self.quoted()
            default:
                let word = self.rest.prefix { !Self.isBlank($0) }
                self.rest = self.rest[word.endIndex...]
                return String(decoding: word, as: UTF8.self)
            }
        }
        return nil
    }

    private mutating func quoted() -> String? {
        self.rest = self.rest.dropFirst()
        var word: [UInt8] = []
        while let octet = self.rest.popFirst() {
            switch octet {
            case UInt8(ascii: "\""): return String(decoding: word, as: UTF8.self)
            case UInt8(ascii: "\\"): if let escaped = self.rest.popFirst() { word.append(Self.unescaped(escaped)) }
            default: word.append(octet)
            }
        }
        return nil
    }

    private static func unescaped(_ octet: UInt8) -> UInt8 {
        switch octet {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: octet
        }
    }

    /// Skips a macro, which ends at an empty line.
    mutating func skipMacro() {
        var isEmpty = false
        while let octet = self.rest.popFirst() {
            guard octet == UInt8(ascii: "\n") else {
                if octet != 0x0D { isEmpty = false }
                continue
            }
            if isEmpty { return }
            isEmpty = true
        }
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || (0x09...0x0D).contains(octet) }
}
