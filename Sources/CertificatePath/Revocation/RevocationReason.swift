//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why an issuer revoked a certificate (RFC 5280 §5.3.1).
public enum RevocationReason: UInt8, Sendable, Hashable, CaseIterable {
    /// No reason is given.
    case unspecified = 0
    /// The subject's key is known to someone else.
    case keyCompromise = 1
    /// The authority's key is known to someone else.
    case cACompromise = 2
    /// Something about the subject changed.
    case affiliationChanged = 3
    /// Another certificate took its place.
    case superseded = 4
    /// It is no longer needed.
    case cessationOfOperation = 5
    /// It is suspended and may come back.
    case certificateHold = 6
    /// A delta list takes it off the list again.
    case removeFromCRL = 8
    /// The subject may no longer do what the certificate allows.
    case privilegeWithdrawn = 9
    /// The attribute authority's key is known to someone else.
    case aACompromise = 10
}

/// The reasons a revocation list covers (RFC 5280 §4.2.1.13 ReasonFlags), the first named bit lowest.
struct ReasonFlags: OptionSet, Sendable {
    let rawValue: UInt16

    /// Every reason but the unused bit 0: what must be covered before "not listed" means "not revoked".
    static let all = ReasonFlags(rawValue: 0x01FE)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        let (bits, _) = try DERReader.bitStringContent(content, in: bytes)
        guard bits.count <= 2 else { throw DERError(.invalidBitString, at: content.lowerBound) }
        var flags: UInt16 = 0
        for index in 0..<bits.count {
            for bit in 0..<8 where bytes[bits.lowerBound + index] & (0x80 >> UInt8(bit)) != 0 {
                flags |= 1 << UInt16(index * 8 + bit)
            }
        }
        self.rawValue = flags
    }
}
