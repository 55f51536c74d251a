//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a digest with `qop=auth-int` needs to know of content that is too large to be at hand as a whole: its hashes, by each
/// algorithm that a server may ask for (RFC 7616 §3.4.3).
public struct ContentDigests: Sendable {
    private var hashers: [DigestAlgorithm.Hash: DigestHasher]

    /// The hashes of no octets.
    public init() {
        let hashers = DigestAlgorithm.Hash.allCases.map { ($0, DigestAlgorithm(hash: $0).hasher()) }
        self.hashers = Dictionary(uniqueKeysWithValues: hashers)
    }

    /// Takes the next octets of the content.
    public mutating func receive(_ octets: UnsafeRawBufferPointer) {
        for hash in DigestAlgorithm.Hash.allCases { self.hashers[hash]?.update(octets) }
    }

    /// The hash in hexadecimal digits.
    func digest(by algorithm: DigestAlgorithm) -> [UInt8]? { self.hashers[algorithm.hash]?.finalize() }
}
