//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The error for text that does not name a TLS server.
///
/// Its description repeats the text and contains a remedy.
public struct TLSEndpointError: Error, Hashable {
    /// The kinds of fault in the text.
    public struct Code: Hashable, Sendable {
        fileprivate enum Kind: String {
            case empty
            case containsSpace
            case containsUserInformation
            case containsZoneIdentifier
            case unsupportedScheme
            case pathWithoutScheme
            case invalidBrackets
            case invalidPort
            case invalidIPv6Address
            case invalidName
            case notASCII
        }

        fileprivate let kind: Kind

        /// The text has no host.
        public static let empty = Self(kind: .empty)
        /// The text has a space or a control character.
        public static let containsSpace = Self(kind: .containsSpace)
        /// The text has a user name or password before the host.
        public static let containsUserInformation = Self(kind: .containsUserInformation)
        /// The host has a percent sign that does not introduce the zone of a link-local IPv6 address.
        public static let containsZoneIdentifier = Self(kind: .containsZoneIdentifier)
        /// The scheme of the URL is not `https`.
        public static let unsupportedScheme = Self(kind: .unsupportedScheme)
        /// The text has a path but no scheme.
        public static let pathWithoutScheme = Self(kind: .pathWithoutScheme)
        /// The brackets do not enclose an IPv6 address.
        public static let invalidBrackets = Self(kind: .invalidBrackets)
        /// The port is not a number from 1 through 65535.
        public static let invalidPort = Self(kind: .invalidPort)
        /// The host has colons but is not an IPv6 address.
        public static let invalidIPv6Address = Self(kind: .invalidIPv6Address)
        /// The host is not a DNS name and not an IP address.
        public static let invalidName = Self(kind: .invalidName)
        /// The host has characters outside ASCII that readers of names may map differently.
        public static let notASCII = Self(kind: .notASCII)
    }

    /// The kind of fault.
    public let code: Code

    /// The text that was parsed.
    public let input: String

    init(_ code: Code, input: String) {
        self.code = code
        self.input = input
    }
}

extension TLSEndpointError: CustomStringConvertible {
    /// The text, the fault and the remedy, in one line.
    public var description: String {
        // The input comes from outside and ends up in terminals and logs, so control characters stay escaped.
        "\(self.input.prefix(200).debugDescription) does not name a server: \(self.code)"
    }
}

extension TLSEndpointError.Code: CustomStringConvertible {
    /// The fault and the remedy.
    public var description: String {
        switch self.kind {
        case .empty: "there is no host. Write a name such as example.com"
        case .containsSpace: "it contains a space or a control character. Remove it"
        case .containsUserInformation: "it contains a user name or password. Write only the host, without '@'"
        case .containsZoneIdentifier:
            "it contains '%', which only a link-local address has, such as [fe80::1%eth0]:443. Remove it"
        case .unsupportedScheme: "only https has a certificate to look at. Write https://host or just the host"
        case .pathWithoutScheme: "it contains a path. Write https:// in front, or only host:port"
        case .invalidBrackets: "brackets enclose IPv6 addresses only. Write [2001:db8::1]:443"
        case .invalidPort: "the port is not a number from 1 to 65535. Write host:443"
        case .invalidIPv6Address: "it is not an IPv6 address. Write host:443, 2001:db8::1 or [2001:db8::1]:443"
        case .invalidName: "it is neither a DNS name nor an IP address. Write example.com or 192.0.2.1"
        case .notASCII: "it contains characters outside ASCII. Write the name's xn-- form"
        }
    }
}

extension TLSEndpointError.Code {
    init(_ fault: AuthorityURL.Fault) {
        switch fault {
        case .missingScheme: self = .unsupportedScheme
        case .authority(let fault): self.init(fault)
        }
    }

    init(_ fault: Authority.Fault) {
        switch fault {
        case .forbiddenCharacter: self = .containsSpace
        case .severalUsers: self = .containsUserInformation
        case .missingHost: self = .empty
        case .brackets: self = .invalidBrackets
        case .port: self = .invalidPort
        case .host(let error): self.init(error.reason)
        }
    }

    private init(_ reason: InvalidReferenceIdentity.Reason) {
        switch reason {
        case .zoneIdentifier, .forbiddenCharacter(UInt8(ascii: "%")): self = .containsZoneIdentifier
        case .forbiddenCharacter(UInt8(ascii: ":")): self = .invalidIPv6Address
        case .notASCII: self = .notASCII
        default: self = .invalidName
        }
    }
}
