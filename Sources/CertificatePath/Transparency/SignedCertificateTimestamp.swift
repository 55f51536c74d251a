//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A log's promise to publish a certificate (RFC 6962 §3.2), as slices of its buffer.
struct SignedCertificateTimestamp {
    /// The SHA-256 digest of the log's key, as the timestamp claims.
    let logIdentifier: ArraySlice<UInt8>
    /// The time in milliseconds since 1970-01-01T00:00:00Z.
    let milliseconds: UInt64
    /// The time in the encoding that is signed.
    let timeOctets: ArraySlice<UInt8>
    let extensions: ArraySlice<UInt8>
    /// The algorithm, or `nil` if Apple's parser does not accept it.
    let algorithm: SignatureAlgorithm?
    let signature: ArraySlice<UInt8>
    let version: UInt8

    /// The only version, v1.
    static let version1: UInt8 = 0

    /// Reads a timestamp. `nil` unless the octets are one complete timestamp without trailing bytes.
    init?(_ octets: ArraySlice<UInt8>) {
        var reader = VectorReader(octets)
        guard let version = reader.octet(), let identifier = reader.take(32), let time = reader.take(8),
            let extensions = reader.vector(), let hash = reader.octet(), let signing = reader.octet(),
            let signature = reader.vector(), reader.isAtEnd
        else { return nil }
        self.version = version
        self.logIdentifier = identifier
        self.timeOctets = time
        self.milliseconds = time.reduce(0) { $0 << 8 | UInt64($1) }
        self.extensions = extensions
        self.algorithm = Self.algorithm(hash, signing)
        self.signature = signature
    }

    /// Returns the algorithm for TLS 1.2's pair of a hash and a signature (RFC 5246 §7.4.1.4.1). RFC 6962 §2.1.4
    /// allows SHA-256 alone. CertificateTransparency.m accepts three.
    private static func algorithm(_ hash: UInt8, _ signing: UInt8) -> SignatureAlgorithm? {
        let digest: SignatureDigest
        switch hash {
        case 2: digest = .sha1
        case 4: digest = .sha256
        case 5: digest = .sha384
        default: return nil
        }
        switch signing {
        case 1: return SignatureAlgorithm(.rsaPKCS1, digest)
        case 3: return SignatureAlgorithm(.ecdsa, digest)
        default: return nil
        }
    }

    /// Returns the octets that the log signed for an entry (RFC 6962 §3.2).
    func signedOctets(_ entry: TransparencyEntry) -> [UInt8] {
        var octets: [UInt8] = [Self.version1, 0]
        octets.reserveCapacity(entry.octets.count + self.extensions.count + 14)
        octets += self.timeOctets
        octets += entry.octets
        octets.append(UInt8(truncatingIfNeeded: self.extensions.count >> 8))
        octets.append(UInt8(truncatingIfNeeded: self.extensions.count))
        octets += self.extensions
        return octets
    }
}

/// A `SignedCertificateTimestampList` (RFC 6962 §3.3).
package enum TimestampList {
    /// The limit, above the number in any certificate. Each item costs at least a look-up.
    private static let maximumItems = 64

    /// Returns the items of a list. One wrong octet voids the whole list, as in SecSCTUtils.c, and so do too many items.
    package static func items(of list: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var outer = VectorReader(list)
        guard let content = outer.vector(), outer.isAtEnd, !content.isEmpty else { return [] }
        var reader = VectorReader(content)
        var items: [ArraySlice<UInt8>] = []
        while !reader.isAtEnd {
            guard let item = reader.vector(), items.count < Self.maximumItems else { return [] }
            items.append(item)
        }
        return items
    }
}

/// A reader of TLS's vectors with two octets of length (RFC 8446 §3.4).
private struct VectorReader {
    private let octets: ArraySlice<UInt8>
    private var position: Int

    init(_ octets: ArraySlice<UInt8>) { (self.octets, self.position) = (octets, octets.startIndex) }

    var isAtEnd: Bool { self.position == self.octets.endIndex }

    mutating func octet() -> UInt8? {
        guard !self.isAtEnd else { return nil }
        defer { self.position += 1 }
        return self.octets[self.position]
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard self.octets.endIndex - self.position >= count else { return nil }
        defer { self.position += count }
        return self.octets[self.position..<self.position + count]
    }

    mutating func vector() -> ArraySlice<UInt8>? {
        guard let high = self.octet(), let low = self.octet() else { return nil }
        return self.take(Int(high) << 8 | Int(low))
    }
}
