//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

@testable import CertificatePath

/// What must be true of whatever is given as a host.
enum HostNames {
    static func check(_ octets: [UInt8], _ findings: inout Findings) {
        let text = String(decoding: octets, as: UTF8.self)
        self.checkAddress(text, &findings)
        let host = try? ReferenceIdentity(host: text)
        findings.expect(host == (try? ReferenceIdentity(host: text)), "a host is read differently twice")
        guard case .dnsName(let name)? = host else { return }
        findings.expect(NaiveDomain(Array(name.utf8))?.isExact == true, "an invalid DNS name: \(name)")
        findings.expect((try? ReferenceIdentity(host: name)) == host, "a DNS name is another one when read again")
    }

    /// The C library reads the same texts as addresses, and the same addresses.
    private static func checkAddress(_ text: String, _ findings: inout Findings) {
        let address = IPAddress(text)
        if let address {
            findings.expect(IPAddress(address.description) == address, "an address is another one when read again")
            findings.expect(IPAddress(octets: address.octets) == address, "an address is not its octets")
        }
        guard !text.utf8.contains(0), !text.hasPrefix("[") else { return }
        var octets = [UInt8](repeating: 0, count: 16)
        let isIPv6 = inet_pton(AF_INET6, text, &octets) == 1
        let isIPv4 = !isIPv6 && inet_pton(AF_INET, text, &octets) == 1
        let expected = isIPv6 ? octets : isIPv4 ? Array(octets.prefix(4)) : nil
        findings.expect(address?.octets == expected, "not the address the C library reads in \(text)")
    }

    /// RFC 9525 §6.3 and §6.5 by the book.
    static func match(
        _ host: [UInt8], _ certificate: CertificateView, _ presented: [NamesTarget.GeneralNameRecord],
        _ findings: inout Findings
    ) {
        let identity = ServerIdentity(host: String(decoding: host, as: UTF8.self), publicSuffixes: nil)
        let isMatch = identity.match(certificate) == .match
        let expected =
            switch try? ReferenceIdentity(host: String(decoding: host, as: UTF8.self)) {
            case .dnsName(let name)?: self.isNamed(name, presented.filter { $0.form == .dNSName }.map(\.content))
            case .ipAddress(let address)?:
                self.isNamed(address.octets, presented.filter { $0.form == .iPAddress }.map(\.content))
            default: false
            }
        findings.expect(isMatch == expected, "the host matches: \(isMatch), and should: \(expected)")
    }

    private static func isNamed(_ address: [UInt8], _ presented: [[UInt8]]) -> Bool {
        presented.allSatisfy { $0.count == 4 || $0.count == 16 } && presented.contains(address)
    }

    private static func isNamed(_ name: String, _ presented: [[UInt8]]) -> Bool {
        guard presented.allSatisfy({ String(validating: $0, as: UTF8.self) != nil }) else { return false }
        let labels = name.lowercased().split(separator: ".")
        let wildcard = "*." + labels.dropFirst().joined(separator: ".")
        return presented.contains { octets in
            guard octets.allSatisfy({ $0 < 0x80 }) else { return false }
            let text = String(decoding: octets, as: UTF8.self).lowercased()
            return text == name.lowercased() || (labels.count > 2 && text == wildcard)
        }
    }
}
