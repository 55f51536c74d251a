//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason for which an issuer revoked a certificate (RFC 5280 §5.3.1).
public enum RevocationReason: UInt8, Sendable, Hashable, CaseIterable {
    /// The issuer gives no reason.
    case unspecified = 0
    /// The subject's key is known or suspected to be compromised.
    case keyCompromise = 1
    /// The authority's key is known or suspected to be compromised.
    case cACompromise = 2
    /// The subject's name or other data in the certificate changed.
    case affiliationChanged = 3
    /// Another certificate replaced this one.
    case superseded = 4
    /// The certificate is no longer needed.
    case cessationOfOperation = 5
    /// The certificate is suspended and may become valid again.
    case certificateHold = 6
    /// A delta list removes the certificate from the list.
    case removeFromCRL = 8
    /// A privilege in the certificate was withdrawn.
    case privilegeWithdrawn = 9
    /// The attribute authority's key is known or suspected to be compromised.
    case aACompromise = 10
}

/// The reasons that a revocation list covers (RFC 5280 §4.2.1.13 ReasonFlags), the first named bit lowest.
struct ReasonFlags: OptionSet, Sendable {
    let rawValue: UInt16

    /// Every reason except the unused bit 0. All must be covered before "not listed" means "not revoked".
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
