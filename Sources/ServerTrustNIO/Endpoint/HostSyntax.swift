//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// The syntax of host names and addresses.
enum HostSyntax {
    /// Returns `host` if it is a DNS name or an IP address.
    ///
    /// - Parameters:
    ///   - host: The candidate, without brackets.
    ///   - input: The text a person wrote, for the error.
    /// - Returns: `host` as it is.
    /// - Throws: ``TLSEndpointError`` that says what is wrong.
    static func validated(_ host: String, input: String) throws -> String {
        guard !host.isEmpty else {
            throw TLSEndpointError(.empty, input: input)
        }
        guard !host.contains("%") else {
            throw TLSEndpointError(.containsZoneIdentifier, input: input)
        }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw TLSEndpointError(.notASCII, input: input)
        }
        guard !Self.isIPAddress(host) else {
            return host
        }
        guard !host.contains(":") else {
            throw TLSEndpointError(.invalidIPv6Address, input: input)
        }
        guard Self.isDNSName(host) else {
            throw TLSEndpointError(.invalidName, input: input)
        }
        return host
    }

    /// Whether `host` is an IPv4 address in dotted decimal or an IPv6 address without a zone.
    static func isIPAddress(_ host: String) -> Bool {
        // inet_pton(3) stops at NUL.
        guard !host.utf8.contains(0) else {
            return false
        }
        do {
            _ = try SocketAddress(ipAddress: host, port: 0)
            return true
        } catch {
            return false
        }
    }

    /// Whether `host` is a DNS name as hosts have them: labels of letters, digits, hyphens and underscores.
    ///
    /// A name whose last label is a number is refused: resolvers read `10.1` as the address 10.0.0.1.
    static func isDNSName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else {
            return false
        }
        return !last.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether `label` has 1 through 63 of the allowed characters and no hyphen at either end (RFC 1123, section 2.1).
    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else {
            return false
        }
        return label.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, hyphen, UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
