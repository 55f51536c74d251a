//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A block cipher of eight octets that only decrypts.
///
/// Such ciphers are for files that users already have, because programs still write them. Nothing is ever encrypted with them.
protocol OldBlockCipher {
    /// Decrypts one block. Its first octet is the highest.
    func decrypt(_ block: UInt64) -> UInt64
}

extension OldBlockCipher {
    /// Decrypts octets in cipher block chaining mode with padding (RFC 8018 §6.1.1). Returns `nil` if the padding is wrong.
    func decrypt(_ octets: [UInt8], initializationVector: [UInt8]) -> [UInt8]? {
        guard !octets.isEmpty, octets.count.isMultiple(of: 8), initializationVector.count == 8 else { return nil }
        var previous = UInt64(octets: initializationVector[...])
        var plain: [UInt8] = []
        plain.reserveCapacity(octets.count)
        for start in stride(from: 0, to: octets.count, by: 8) {
            let block = UInt64(octets: octets[start..<start + 8])
            let decrypted = self.decrypt(block) ^ previous
            plain += (0..<8).map { UInt8(truncatingIfNeeded: decrypted >> (56 - 8 * $0)) }
            previous = block
        }
        guard let padding = plain.last, (1...8).contains(padding),
            plain.suffix(Int(padding)).allSatisfy({ $0 == padding })
        else { return nil }
        return plain.dropLast(Int(padding))
    }
}

extension UInt64 {
    /// Creates a number from its octets, the highest first.
    init(octets: ArraySlice<UInt8>) {
        self = octets.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Array where Element == UInt8 {
    fileprivate func dropLast(_ count: Int) -> [UInt8] { Array(self[..<Swift.max(0, self.count - count)]) }
}
