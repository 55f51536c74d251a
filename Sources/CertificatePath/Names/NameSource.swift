//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distinguished name where it lies, with its hash: what certificates are looked up and chained by.
struct NameSource {
    let bytes: [UInt8]
    let range: ByteRange
    /// The same for equal names.
    let hash: UInt64

    /// Whether the octets of two names are the same, which needs no folding.
    func hasSameEncoding(as other: NameSource) -> Bool {
        equalBytes(self.range, in: self.bytes, other.range, in: other.bytes)
    }

    /// Whether two names are the same name (RFC 5280 §7.1).
    func isSameName(as other: NameSource) -> Bool {
        self.hash == other.hash && DistinguishedName.areEqual(self.range, of: self.bytes, other.range, of: other.bytes)
    }
}
