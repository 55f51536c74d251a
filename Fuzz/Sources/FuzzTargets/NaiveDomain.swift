//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// A DNS name as its labels in lower case.
struct NaiveDomain: Equatable {
    let labels: [String]

    init(labels: [String]) { self.labels = labels }

    /// `nil` for what is no DNS name: letters, digits, hyphens not at the ends of labels, underscores and asterisks, and a
    /// letter in the last label.
    init?(_ octets: [UInt8]) {
        guard (1...255).contains(octets.count), octets.allSatisfy({ $0 < 0x80 }) else { return nil }
        let labels = String(decoding: octets, as: UTF8.self).lowercased()
            .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-_*")
        for label in labels {
            guard (1...63).contains(label.utf8.count), label.allSatisfy(allowed.contains), label.first != "-",
                label.last != "-"
            else { return nil }
        }
        guard labels.last?.contains(where: { $0 == "*" || ("a"..."z").contains($0) }) == true else { return nil }
        self.labels = labels
    }

    var isExact: Bool { !self.labels.contains { $0.contains("*") } }
    var hasWildcardInFront: Bool {
        self.labels[0].contains("*") && !self.labels.dropFirst().contains { $0.contains("*") }
    }

    func ends(with other: NaiveDomain) -> Bool { self.labels.suffix(other.labels.count).elementsEqual(other.labels) }

    /// The host of `scheme://user@host:port/…` (RFC 3986 §3.2), when it is a DNS name.
    static func host(ofURI octets: [UInt8]) -> NaiveDomain? {
        let separator = Array("://".utf8)
        guard let colon = octets.firstIndex(of: 0x3A), colon > 0, octets[0].isASCIILetter,
            octets[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || [0x2B, 0x2D, 0x2E].contains($0) }),
            octets[colon...].starts(with: separator)
        else { return nil }
        let authority = octets[(colon + 3)...].prefix { ![0x2F, 0x3F, 0x23].contains($0) }
        guard !authority.contains(0x5C) else { return nil }
        var host = Array(authority)
        if let at = host.lastIndex(of: 0x40) { host = Array(host[(at + 1)...]) }
        if let port = host.lastIndex(of: 0x3A) {
            guard host[(port + 1)...].allSatisfy(\.isASCIIDigit) else { return nil }
            host = Array(host[..<port])
        }
        return NaiveDomain(host).flatMap { $0.isExact ? $0 : nil }
    }
}

/// A mail address with its local part out of quotes.
struct NaiveMailbox: Equatable {
    let localPart: [UInt8]
    let host: NaiveDomain

    init?(_ octets: [UInt8]) {
        guard let at = octets.lastIndex(of: 0x40), at > 0, let host = NaiveDomain(Array(octets[(at + 1)...])),
            host.isExact
        else { return nil }
        self.host = host
        var local = Array(octets[..<at])
        guard local[0] == 0x22 else {
            guard local.allSatisfy({ (0x21...0x7E).contains($0) && ![0x22, 0x40, 0x5C].contains($0) }) else {
                return nil
            }
            self.localPart = local
            return
        }
        guard local.count > 2, local.last == 0x22 else { return nil }
        local = Array(local.dropFirst().dropLast())
        var plain: [UInt8] = []
        var index = 0
        while index < local.count {
            if local[index] == 0x5C { index += 1 } else if local[index] == 0x22 { return nil }
            guard index < local.count, (0x20...0x7E).contains(local[index]) else { return nil }
            plain.append(local[index])
            index += 1
        }
        self.localPart = plain
    }
}
