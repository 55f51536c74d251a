//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The users and passwords of a `.netrc` file, as curl and ftp read it.
///
/// Words are separated by blanks and line ends, and one in double quotes may have both in it; `\"`, `\\`, `\n`, `\r` and `\t` stand
/// for one character there. A word that begins with `#` makes the rest of its line a comment.
///
/// ```
/// machine api.example.com login user password secret
/// default login anonymous password ""
/// ```
public struct NetrcText: Sendable {
    /// What one entry says.
    private struct Entry {
        /// `nil` for the entry of every other machine.
        var machine: String?
        var user: String?
        var password: String?
    }

    private let entries: [Entry]

    private static let maximumEntries = 10_000

    /// Reads a file. What is no entry is passed over, so that a password for one machine is never taken for another's.
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

    /// Who asks at a machine: as its first entry says, else as that of every other machine does.
    ///
    /// - Parameters:
    ///   - host: The name or the address of the machine, as URLs have it, in lower case.
    ///   - user: The user that is meant; `nil` for whichever the entry names.
    /// - Returns: `nil` where no entry is for the machine and the user.
    /// - Throws: ``HTTPAuthenticationError/controlCharacter``
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
    /// How many entries there are.
    public var description: String { "NetrcText(\(self.entries.count) entries)" }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without what it holds.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The words of a `.netrc` file.
private struct NetrcReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Sequence<UInt8>) { self.rest = ArraySlice(Array(text)) }

    /// The next word; `nil` at the end, and where a quote is not closed.
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

    /// Passes a macro over, which ends at an empty line.
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
