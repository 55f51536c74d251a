//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distinguished name in its buffer, with its hash. It is the key by which certificates are looked up and chained.
struct NameSource {
    let bytes: [UInt8]
    let range: ByteRange
    /// The hash, the same for equal names.
    let hash: UInt64

    /// Returns `true` if two names have the same octets. This needs no folding.
    func hasSameEncoding(as other: NameSource) -> Bool {
        equalBytes(self.range, in: self.bytes, other.range, in: other.bytes)
    }

    /// Returns `true` if two names are the same name (RFC 5280 §7.1).
    func isSameName(as other: NameSource) -> Bool {
        self.hash == other.hash && DistinguishedName.areEqual(self.range, of: self.bytes, other.range, of: other.bytes)
    }
}
