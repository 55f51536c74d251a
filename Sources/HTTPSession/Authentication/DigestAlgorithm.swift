//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras

/// A digest algorithm: its hash and the kind of its key (RFC 7616 §3.3, §6.1).
struct DigestAlgorithm: Sendable, Hashable {
    enum Hash: Sendable, Hashable, CaseIterable {
        case md5
        case sha256
        case sha512256

        var name: String {
            switch self {
            case .md5: "md5"
            case .sha256: "sha-256"
            case .sha512256: "sha-512-256"
            }
        }

        /// The rank of the hash. A higher one is preferred.
        var strength: Int {
            switch self {
            case .md5: 1
            case .sha256: 2
            case .sha512256: 3
            }
        }
    }

    let hash: Hash
    /// `true` if the key is computed once, from the first nonces (`-sess`, RFC 7616 §3.4.2).
    let isSession: Bool

    init(hash: Hash) { (self.hash, self.isSession) = (hash, false) }

    /// Creates the algorithm of a name, in upper or lower case, or returns `nil` if it is unknown.
    init?(_ name: String) {
        let name = name.lowercased()
        self.isSession = name.hasSuffix("-sess")
        let base = self.isSession ? String(name.dropLast("-sess".count)) : name
        guard let hash = Hash.allCases.first(where: { $0.name == base }) else { return nil }
        self.hash = hash
    }

    /// Returns the hash `H(…)` of parts joined with colons, in hexadecimal digits.
    func digest(_ parts: [[UInt8]]) -> [UInt8] {
        self.digest(of: Array(parts.joined(separator: [UInt8(ascii: ":")])))
    }

    /// Returns the hash `H(…)` of octets in hexadecimal digits.
    func digest(of octets: [UInt8]) -> [UInt8] {
        switch self.hash {
        case .md5: Self.hexadecimal(Insecure.MD5.hash(data: octets))
        case .sha256: Self.hexadecimal(SHA256.hash(data: octets))
        case .sha512256: Self.hexadecimal(SHA512256.hash(data: octets))
        }
    }

    func hasher() -> DigestHasher {
        switch self.hash {
        case .md5: .md5(Insecure.MD5())
        case .sha256: .sha256(SHA256())
        case .sha512256: .sha512256(SHA512256())
        }
    }

    static func hexadecimal(_ octets: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
    }
}

/// A hasher for octets that arrive in pieces.
enum DigestHasher: Sendable {
    case md5(Insecure.MD5)
    case sha256(SHA256)
    case sha512256(SHA512256)

    mutating func update(_ octets: UnsafeRawBufferPointer) {
        switch self {
        case .md5(var hash):
            hash.update(bufferPointer: octets)
            self = .md5(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: octets)
            self = .sha256(hash)
        case .sha512256(var hash):
            hash.update(bufferPointer: octets)
            self = .sha512256(hash)
        }
    }

    /// Returns the hash in hexadecimal digits.
    func finalize() -> [UInt8] {
        switch self {
        case .md5(let hash): DigestAlgorithm.hexadecimal(hash.finalize())
        case .sha256(let hash): DigestAlgorithm.hexadecimal(hash.finalize())
        case .sha512256(let hash): DigestAlgorithm.hexadecimal(hash.finalize())
        }
    }
}
