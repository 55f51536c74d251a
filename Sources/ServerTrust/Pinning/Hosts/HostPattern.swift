//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The hosts a rule is about, as text.
///
/// | pattern | hosts |
/// |---|---|
/// | `example.com` | that one |
/// | `*.example.com` | one label more: `a.example.com`, not `example.com`, not `a.b.example.com` |
/// | `**.example.com` | any number of labels more, none included |
/// | `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]` | that address |
/// | `localhost`, `db`, `*.internal` | private names work like any others |
///
/// A port behind a colon makes a rule for that port alone: `example.com:8443`, `[2001:db8::1]:8443`. Case does not matter,
/// and internationalised names may be written either way.
public struct HostPattern: Sendable, Hashable {
    /// The hosts below a name that a pattern is about.
    public enum Breadth: String, Sendable, Hashable, CaseIterable {
        /// The name itself.
        case exact = ""
        /// Names with one label more.
        case oneLabel = "*."
        /// The name itself, and names with any number of labels more.
        case anyDepth = "**."
    }

    /// The name, in ASCII and lower case, or the address.
    public let host: String
    /// Which hosts below the name are meant.
    public let breadth: Breadth
    /// The port; `nil` for every port.
    public let port: Int?

    /// Whether the host is an IP address.
    public let isAddress: Bool

    /// Reads a pattern.
    ///
    /// - Parameter text: The pattern.
    /// - Throws: ``HostPatternError``, which says what to write instead.
    public init(_ text: String) throws(HostPatternError) {
        var rest = text[...]
        var breadth = Breadth.exact
        for candidate in [Breadth.anyDepth, .oneLabel] where rest.hasPrefix(candidate.rawValue) {
            (breadth, rest) = (candidate, rest.dropFirst(candidate.rawValue.count))
            break
        }
        let (host, port) = try Self.splitPort(rest, text)
        guard host != "*", host != "**", !host.isEmpty || breadth == .exact else {
            throw HostPatternError(.everything, pattern: text)
        }
        try self.init(host: String(host), breadth: breadth, port: port, text: text)
    }

    /// A pattern from its parts.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - breadth: Which hosts below it are meant.
    ///   - port: The port; `nil` for every port.
    /// - Throws: ``HostPatternError``, which says what to write instead.
    public init(host: String, breadth: Breadth = .exact, port: Int? = nil) throws(HostPatternError) {
        try self.init(host: host, breadth: breadth, port: port, text: host)
    }

    private init(host: String, breadth: Breadth, port: Int?, text: String) throws(HostPatternError) {
        if let port, !(1...65_535).contains(port) { throw HostPatternError(.invalidPort, pattern: text) }
        let name: Host
        do {
            name = try Host(host)
        } catch {
            throw HostPatternError(.invalidHost(error), pattern: text)
        }
        guard breadth == .exact || !name.isAddress else { throw HostPatternError(.wildcardOnAddress, pattern: text) }
        self.host = name.ruleKey
        self.isAddress = name.isAddress
        self.breadth = breadth
        self.port = port
    }

    /// The host and the port of `host:port`, `[address]:port`, or either without a port.
    private static func splitPort(
        _ text: Substring, _ pattern: String
    ) throws(HostPatternError) -> (Substring, Int?) {
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        guard let colon = text.lastIndex(of: ":"), colons == 1 || text.hasPrefix("["), text.last != "]" else {
            return (text, nil)
        }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw HostPatternError(.invalidPort, pattern: pattern) }
        return (text[..<colon], port)
    }
}

extension HostPattern {
    /// Whether the pattern is about a host.
    ///
    /// Of several patterns that match, a ``ServerTrustManager`` takes the most specific one.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address. What is neither matches nothing, so that a client that asks must not connect to
    ///     what no pattern matches unless it connects to hosts without one.
    ///   - port: The port, if it is known; without, a pattern for one port does not match.
    public func matches(_ host: String, port: Int? = nil) -> Bool {
        guard self.port == nil || self.port == port, let name = try? Host(host) else { return false }
        let key = name.ruleKey
        guard !name.isAddress, !self.isAddress else { return self.host == key }
        return switch self.breadth {
        case .exact: key == self.host
        case .oneLabel: Host.parent(of: key[...]).map { $0 == self.host } ?? false
        case .anyDepth: key == self.host || key.hasSuffix("." + self.host)
        }
    }
}

extension HostPattern: CustomStringConvertible {
    /// The pattern as ``init(_:)`` reads it.
    public var description: String {
        let host = self.port != nil && self.host.contains(":") ? "[\(self.host)]" : self.host
        return self.breadth.rawValue + host + (self.port.map { ":\($0)" } ?? "")
    }
}

/// Text that is no pattern for hosts, and what to write instead.
public struct HostPatternError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// The host is not a DNS name or an IP address.
        case invalidHost(InvalidReferenceIdentity)
        /// The port is not a number from 1 to 65535.
        case invalidPort
        /// An asterisk before an address.
        case wildcardOnAddress
        /// Asterisks alone, for every host.
        case everything
        /// A pattern that stands twice.
        case duplicate
    }

    /// What is wrong.
    public let code: Code
    /// The pattern, printable, and cut when it is long.
    public let pattern: String

    package init(_ code: Code, pattern: String) {
        self.code = code
        self.pattern = PrintableText.text(of: pattern)
    }
}

extension HostPatternError: CustomStringConvertible {
    /// What is wrong and what to do, for a person.
    public var description: String {
        switch self.code {
        case .invalidHost(let error): "\(error)"
        case .invalidPort: "\"\(self.pattern)\": the port is not a number from 1 to 65535. Write host:port, or no port"
        case .wildcardOnAddress:
            "\"\(self.pattern)\": an address has no names below it. Leave out includeSubdomains, or the asterisk"
        case .everything:
            "\"\(self.pattern)\" would be every host. Write a name behind the asterisk, or say with "
                + "allHostsMustBeEvaluated what becomes of the others"
        case .duplicate: "\"\(self.pattern)\" stands twice. Write one rule for it"
        }
    }
}
