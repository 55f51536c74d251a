//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The hashes of content that is not available as a whole, for a digest with `qop=auth-int`.
///
/// It computes the hash of each algorithm that a server may request (RFC 7616 §3.4.3).
public struct ContentDigests: Sendable {
    private var hashers: [DigestAlgorithm.Hash: DigestHasher]

    /// Creates the hashes of empty content.
    public init() {
        let hashers = DigestAlgorithm.Hash.allCases.map { ($0, DigestAlgorithm(hash: $0).hasher()) }
        self.hashers = Dictionary(uniqueKeysWithValues: hashers)
    }

    /// Adds the next octets of the content.
    public mutating func receive(_ octets: UnsafeRawBufferPointer) {
        for hash in DigestAlgorithm.Hash.allCases { self.hashers[hash]?.update(octets) }
    }

    /// Returns the hash in hexadecimal digits.
    func digest(by algorithm: DigestAlgorithm) -> [UInt8]? { self.hashers[algorithm.hash]?.finalize() }
}
