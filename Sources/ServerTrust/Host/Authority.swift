//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// The host and port of a URL or of `host:port`, parsed in one way only (RFC 3986 §3.2).
///
/// URL parsers differ on unusual text: some end the host at a backslash, some decode `%2e`, some strip tabs and newlines. Such text
/// is refused, so that one parser never evaluates one host while another connects to a different one.
package struct Authority: Sendable, Hashable {
    /// The text before the `@`, still escaped, or `nil` without an `@`.
    package let userInformation: Substring?
    package let host: Host
    /// The zone of an IPv6 address, if the syntax allows one, or `nil` without a zone.
    package let zone: Substring?
    /// The port, or `nil` if the text has none.
    package let port: Int?

    /// The allowed spellings of the zone of an IPv6 address.
    package enum ZoneSyntax: Sendable {
        /// No zone.
        case none
        /// A zone in brackets, after `%25` (RFC 6874 §2).
        case escaped
        /// A zone after `%25`, or after `%` as people type it (RFC 4007 §11).
        case typed
    }

    /// The faults of a text.
    package enum Fault: Error, Hashable, Sendable {
        /// The text has blanks, control characters or backslashes.
        case forbiddenCharacter
        /// The text has more than one `@`.
        case severalUsers
        /// The text has no host.
        case missingHost
        /// The brackets do not enclose an IPv6 address, or are followed by something other than a port.
        case brackets
        /// The port is not a decimal number from 1 to 65535.
        case port
        /// The host is not a DNS name or an IP address.
        case host(InvalidReferenceIdentity)
    }

    /// Parses `host`, `host:port`, `[address]`, `[address]:port`, or an IPv6 address alone, each with an optional `user@`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isInURL: `true` if the text is part of a URL. A colon may then have no port after it, and an IPv6 address needs brackets
    ///     (RFC 3986 §3.2.2, §3.2.3).
    ///   - zones: The allowed spellings of the zone of an IPv6 address.
    package init(_ text: Substring, isInURL: Bool = false, zones: ZoneSyntax = .none) throws(Fault) {
        // Octets are compared, as a combining mark after an ASCII character would make a different `Character`.
        let octets = text.utf8
        guard !octets.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            throw .forbiddenCharacter
        }
        let parts = octets.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= 2 else { throw .severalUsers }
        self.userInformation = parts.count == 2 ? Substring(parts[0]) : nil
        var (host, port) = try Self.split(last)
        let mayHaveZone = zones == .typed || zones == .escaped && last.first == UInt8(ascii: "[")
        self.zone = mayHaveZone ? try Self.removeZone(&host, isTyped: zones == .typed) : nil
        guard !host.isEmpty else { throw .missingHost }
        do { self.host = try Host(String(Substring(host))) } catch { throw .host(error) }
        guard !isInURL || self.host.address?.isIPv6 != true || last.first == UInt8(ascii: "[") else { throw .brackets }
        guard let port, !(isInURL && port.isEmpty) else {
            self.port = nil
            return
        }
        guard let number = Self.port(Substring(port)) else { throw .port }
        self.port = number
    }

    /// Splits the text into the host, without brackets, and the port. Text with several colons and no brackets is an IPv6 address.
    private static func split(
        _ text: Substring.UTF8View
    ) throws(Fault) -> (Substring.UTF8View, Substring.UTF8View?) {
        let colon = UInt8(ascii: ":")
        guard text.first == UInt8(ascii: "[") else {
            let parts = text.split(separator: colon, omittingEmptySubsequences: false)
            guard parts.count == 2, let host = parts.first, let port = parts.last else { return (text, nil) }
            return (host, port)
        }
        guard let closing = text.firstIndex(of: UInt8(ascii: "]")) else { throw .brackets }
        let host = text[..<closing].dropFirst()
        let rest = text[closing...].dropFirst()
        guard host.contains(colon), rest.isEmpty || rest.first == colon else { throw .brackets }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }

    private static func removeZone(_ host: inout Substring.UTF8View, isTyped: Bool) throws(Fault) -> Substring? {
        guard let percent = host.firstIndex(of: UInt8(ascii: "%")), host.contains(UInt8(ascii: ":")) else { return nil }
        let rest = host[percent...]
        let isEscaped = rest.starts(with: "%25".utf8)
        let zone = rest.dropFirst(isEscaped ? 3 : 1)
        guard isEscaped || isTyped, !zone.isEmpty, zone.allSatisfy(Self.isZoneOctet) else { throw .brackets }
        host = host[..<percent]
        return Substring(zone)
    }

    private static func isZoneOctet(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet | 0x20) || (0x30...0x39).contains(octet) || "-._".utf8.contains(octet)
    }

    /// Parses a port from 1 to 65535 in decimal digits. Returns `nil` for any other text.
    package static func port(_ digits: some StringProtocol) -> Int? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return port
    }
}

extension Authority {
    /// Parses user information into user and password, without escapes. The first colon ends the user (RFC 3986 §3.2.1).
    ///
    /// - Parameter text: The user information.
    /// - Returns: `nil` for a broken escape, octets that are not UTF-8, or a control character, which no credential has.
    package static func userAndPassword(_ text: Substring) -> (user: String, password: String)? {
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard let user = Self.unescaped(name), let password = Self.unescaped(text.utf8[name.endIndex...].dropFirst())
        else { return nil }
        return (user, password)
    }

    private static func unescaped(_ octets: Substring.UTF8View) -> String? {
        guard let decoded = Self.octets(unescaping: octets), let text = String(validating: decoded, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else { return nil }
        return text
    }

    /// Decodes percent escapes (RFC 3986 §2.1). Returns `nil` for a broken escape.
    package static func octets(unescaping text: some Sequence<UInt8>) -> [UInt8]? {
        var (decoded, rest) = ([UInt8](), Array(text)[...])
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                decoded.append(octet)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            decoded.append(value)
            rest = rest.dropFirst(2)
        }
        return decoded
    }
}

extension Authority.Fault: CustomStringConvertible {
    /// The fault and its remedy, as the rest of a sentence about the text.
    package var description: String {
        switch self {
        case .forbiddenCharacter: "it has a blank, a control character or a backslash. Remove it"
        case .severalUsers: "it has more than one '@'. Write only the host"
        case .missingHost: "there is no host. Write a name such as example.com"
        case .brackets: "brackets enclose one IPv6 address. Write [2001:db8::1] or [2001:db8::1]:443"
        case .port: "its port is not a number from 1 to 65535. Write host:443"
        case .host(let error): error.explanation
        }
    }
}

/// An absolute URL with an authority, split into its parts. All code of the package reads URLs with this type (RFC 3986 §3).
package struct AuthorityURL: Sendable, Hashable {
    /// The scheme in lower case.
    package let scheme: String
    package let authority: Authority
    /// The path, query and fragment, as written.
    package let rest: Substring

    /// The faults of a text.
    package enum Fault: Error, Hashable, Sendable {
        /// The text has no scheme followed by `://`.
        case missingScheme
        /// The authority cannot be read.
        case authority(Authority.Fault)
    }

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - zones: The allowed spellings of the zone of an IPv6 address.
    package init(_ text: String, zones: Authority.ZoneSyntax = .none) throws(Fault) {
        guard let (scheme, rest) = Self.splitScheme(text) else { throw .missingScheme }
        self.scheme = scheme
        let authority = rest.utf8.prefix { !"/?#".utf8.contains($0) }
        do {
            self.authority = try Authority(Substring(authority), isInURL: true, zones: zones)
        } catch {
            throw .authority(error)
        }
        self.rest = Substring(rest.utf8[authority.endIndex...])
    }

    /// Splits a URL into the scheme, in lower case, and the text after `://`. Returns `nil` if it has none.
    package static func splitScheme(_ text: String) -> (scheme: String, rest: Substring)? {
        let octets = text.utf8
        let scheme = octets.prefix { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
        guard let first = scheme.first, (0x61...0x7A).contains(first | 0x20),
            octets[scheme.endIndex...].starts(with: "://".utf8)
        else { return nil }
        return (Substring(scheme).lowercased(), Substring(octets[scheme.endIndex...].dropFirst(3)))
    }
}

extension AuthorityURL.Fault: CustomStringConvertible {
    /// The fault and its remedy, as the rest of a sentence about the text.
    package var description: String {
        switch self {
        case .missingScheme: "it is not a URL: it has no scheme such as https://"
        case .authority(let fault): fault.description
        }
    }
}
