//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser for the syntax that all authentication fields share (RFC 9110 §5.6, §11.2).
struct FieldText {
    /// The maximum size of a value in octets.
    static let maximumValue = 4_096
    static let maximumParameters = 32
    /// The maximum size of a token in octets.
    private static let maximumToken = 256

    private let octets: [UInt8]
    private var position = 0

    /// A parameter. Its octets are `nil` if the value is malformed.
    struct Parameter {
        let name: String
        let octets: [UInt8]?
    }

    init(_ octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { self.position >= self.octets.count }

    /// `true` if the next octet is a comma, or at the end.
    var isAtEndOfElement: Bool { self.isAtEnd || self.next == UInt8(ascii: ",") }

    private var next: UInt8? { self.isAtEnd ? nil : self.octets[self.position] }

    /// Skips spaces and tabs.
    ///
    /// - Returns: `true` if there were any.
    @discardableResult
    mutating func skipBlanks() -> Bool { !self.take { $0 == 0x20 || $0 == 0x09 }.isEmpty }

    /// Skips the empty elements of a list (RFC 9110 §5.6.1.2).
    mutating func skipCommas() { _ = self.take { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }

    /// Skips a malformed element up to its comma. Commas in quoted strings do not count.
    mutating func skipElement() {
        while !self.isAtEndOfElement {
            if self.next == UInt8(ascii: "\"") { self.skipQuotedString() } else { self.position += 1 }
        }
    }

    private mutating func skipQuotedString() {
        self.position += 1
        while let octet = self.next {
            self.position = min(self.position + (octet == UInt8(ascii: "\\") ? 2 : 1), self.octets.count)
            if octet == UInt8(ascii: "\"") { return }
        }
    }

    /// Reads a token (RFC 9110 §5.6.2), or returns `nil` if there is none.
    mutating func token() -> String? {
        let token = self.take(Self.isTokenOctet)
        return token.isEmpty || token.count > Self.maximumToken ? nil : String(decoding: token, as: UTF8.self)
    }

    /// Reads `name=value`, or returns `nil` without moving if a token without an equals sign is next.
    mutating func parameter() -> Parameter? {
        let start = self.position
        guard let name = self.token() else {
            self.position = start
            return nil
        }
        self.skipBlanks()
        guard self.next == UInt8(ascii: "=") else {
            self.position = start
            return nil
        }
        self.position += 1
        self.skipBlanks()
        return Parameter(name: name.lowercased(), octets: self.value())
    }

    private mutating func value() -> [UInt8]? {
        if self.next == UInt8(ascii: "\"") { return self.quotedString() }
        // More octets than those of tokens are accepted, as curl does, because some servers do not quote Base64.
        let value = self.take { (0x21...0x7E).contains($0) && !"\",\\".utf8.contains($0) }
        return value.isEmpty || value.count > Self.maximumValue ? nil : Array(value)
    }

    /// Reads a quoted string (RFC 9110 §5.6.4), or returns `nil` if it is malformed or too long.
    private mutating func quotedString() -> [UInt8]? {
        let start = self.position
        var content: [UInt8] = []
        self.position += 1
        while let octet = self.next, content.count <= Self.maximumValue {
            self.position += 1
            switch octet {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\"):
                guard let escaped = self.next, Self.isText(escaped) else { return self.refuseQuotedString(at: start) }
                self.position += 1
                content.append(escaped)
            case _ where Self.isText(octet): content.append(octet)
            default: return self.refuseQuotedString(at: start)
            }
        }
        return self.refuseQuotedString(at: start)
    }

    /// Skips a quoted string, so that its contents are not read as challenges, and returns `nil`.
    private mutating func refuseQuotedString(at start: Int) -> [UInt8]? {
        self.position = start
        self.skipQuotedString()
        return nil
    }

    /// Reads a token68 that ends its element (RFC 9110 §11.2), or returns `nil` if something else is next.
    mutating func token68() -> String? {
        let start = self.position
        let value = self.take(Self.isToken68Octet)
        let padding = self.take { $0 == UInt8(ascii: "=") }
        self.skipBlanks()
        guard !value.isEmpty, self.isAtEndOfElement, value.count + padding.count <= Self.maximumValue else {
            self.position = start
            return nil
        }
        return String(decoding: value + padding, as: UTF8.self)
    }

    private mutating func take(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = self.position
        while let octet = self.next, belongs(octet) { self.position += 1 }
        return self.octets[start..<self.position]
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet | 0x20)
    }

    static func isTokenOctet(_ octet: UInt8) -> Bool {
        Self.isAlphanumeric(octet) || "!#$%&'*+-.^_`|~".utf8.contains(octet)
    }

    static func isToken68Octet(_ octet: UInt8) -> Bool {
        Self.isAlphanumeric(octet) || "-._~+/".utf8.contains(octet)
    }

    /// Returns `true` if an octet is allowed in a quoted string: a tab, or any octet that is not a control character.
    static func isText(_ octet: UInt8) -> Bool { octet == 0x09 || (octet >= 0x20 && octet != 0x7F) }
}
