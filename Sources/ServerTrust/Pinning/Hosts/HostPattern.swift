//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A pattern for the hosts to which a rule applies.
///
/// | pattern | hosts |
/// |---|---|
/// | `example.com` | only this name |
/// | `*.example.com` | names with one more label: `a.example.com`, not `example.com`, not `a.b.example.com` |
/// | `**.example.com` | the name itself and names with any number of additional labels |
/// | `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]` | only this address |
/// | `localhost`, `db`, `*.internal` | private names work like all others |
///
/// A port after a colon limits the rule to that port: `example.com:8443`, `[2001:db8::1]:8443`. Case does not matter.
/// Internationalized names may be written in Unicode or as A-labels.
public struct HostPattern: Sendable, Hashable {
    /// The range of hosts that a pattern matches below its name.
    public enum Breadth: String, Sendable, Hashable, CaseIterable {
        /// The name itself.
        case exact = ""
        /// Names with one more label.
        case oneLabel = "*."
        /// The name itself and names with any number of additional labels.
        case anyDepth = "**."
    }

    /// The name in ASCII and lower case, or the address.
    public let host: String
    /// The range of hosts below the name.
    public let breadth: Breadth
    /// The port, or `nil` for every port.
    public let port: Int?

    /// `true` if the host is an IP address.
    public let isAddress: Bool

    /// Parses a pattern.
    ///
    /// - Parameter text: The pattern.
    /// - Throws: ``HostPatternError``, which says how to correct the text.
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

    /// Creates a pattern from its parts.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - breadth: The range of hosts below the name.
    ///   - port: The port, or `nil` for every port.
    /// - Throws: ``HostPatternError``, which says how to correct the value.
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

    /// Splits `host:port`, `[address]:port`, or either without a port, into the host and the port.
    private static func splitPort(
        _ text: Substring, _ pattern: String
    ) throws(HostPatternError) -> (Substring, Int?) {
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        guard let colon = text.lastIndex(of: ":"), colons == 1 || text.hasPrefix("["), text.last != "]" else {
            return (text, nil)
        }
        guard let port = Authority.port(text[text.index(after: colon)...]) else {
            throw HostPatternError(.invalidPort, pattern: pattern)
        }
        return (text[..<colon], port)
    }
}

extension HostPattern {
    /// Returns `true` if the pattern matches the host.
    ///
    /// A ``ServerTrustManager`` uses the most specific of several matching patterns.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address. Any other text matches no pattern, so a client must not treat an unmatched host as
    ///     exempt unless it also connects to hosts without a rule.
    ///   - port: The port, if it is known. Without it, a pattern for one port does not match.
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
    /// The pattern in the form that ``init(_:)`` parses.
    public var description: String {
        let host = self.port != nil && self.host.contains(":") ? "[\(self.host)]" : self.host
        return self.breadth.rawValue + host + (self.port.map { ":\($0)" } ?? "")
    }
}

/// An error for text that is not a valid host pattern.
///
/// The description says how to correct the text.
public struct HostPatternError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The host is not a DNS name or an IP address.
        case invalidHost(InvalidReferenceIdentity)
        /// The port is not a number from 1 to 65535.
        case invalidPort
        /// The pattern has an asterisk before an address.
        case wildcardOnAddress
        /// The pattern is only asterisks and would match every host.
        case everything
        /// The pattern occurs twice.
        case duplicate
    }

    /// The kind of error.
    public let code: Code
    /// The pattern in printable characters, shortened if it is long.
    public let pattern: String

    package init(_ code: Code, pattern: String) {
        self.code = code
        self.pattern = PrintableText.text(of: pattern)
    }
}

extension HostPatternError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
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
