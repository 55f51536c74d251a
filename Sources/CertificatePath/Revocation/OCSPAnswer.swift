//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a response says about one certificate: `SingleResponse` (RFC 6960 §4.2.1).
struct OCSPAnswer {
    enum Status { case good, unknown, revoked(RevocationReason, Timestamp) }

    /// `CertID`, to be compared with a certificate.
    let identifier: OCSPIdentifier
    let status: Status
    let thisUpdate: Timestamp
    let nextUpdate: Timestamp?
    /// Whether no critical extension is unknown.
    let isUnderstood: Bool

    /// More answers than any responder puts into one response.
    static let maximumCount = 1_024

    init(_ responses: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        var single = try responses.nested(.sequence, in: bytes)
        self.identifier = try OCSPIdentifier(&single, in: bytes)
        self.status = try Self.status(try single.next(in: bytes), in: bytes)
        self.thisUpdate = try single.time(in: bytes)
        var nextUpdate: Timestamp?
        if let field = try single.optional(.constructed(0), in: bytes) {
            var inner = DERReader(field.content, in: bytes)
            nextUpdate = try inner.time(in: bytes)
            try inner.finish()
        }
        self.nextUpdate = nextUpdate
        var isUnderstood = true
        if let extensions = try single.optional(.constructed(1), in: bytes) {
            isUnderstood = try !OCSPResponseExtensions(extensions.content, in: bytes).hasUnknownCritical
        }
        self.isUnderstood = isUnderstood
        try single.finish()
    }

    private static func status(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) -> Status {
        switch element.tag {
        case .primitive(0): return .good
        case .primitive(2): return .unknown
        case .constructed(1):
            var information = DERReader(element.content, in: bytes)
            let date = try information.time(in: bytes)
            var reason = RevocationReason.unspecified
            if let field = try information.optional(.constructed(0), in: bytes) {
                var inner = DERReader(field.content, in: bytes)
                let code = try inner.next(.enumerated, in: bytes).content
                if code.count == 1 { reason = RevocationReason(rawValue: bytes[code.lowerBound]) ?? .unspecified }
            }
            return .revoked(reason, date)
        default: throw DERError(.unexpectedTag, at: element.whole.lowerBound)
        }
    }
}

/// `CertID`: digests of the issuer's name and key, and the serial number (RFC 6960 §4.1.1).
struct OCSPIdentifier {
    let digest: PackedOID
    let nameHash: ByteRange
    let keyHash: ByteRange
    let serialNumber: ByteRange

    init(_ single: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        var identifier = try single.nested(.sequence, in: bytes)
        var algorithm = try identifier.nested(.sequence, in: bytes)
        self.digest = try algorithm.packedIdentifier(in: bytes)
        self.nameHash = try identifier.next(.octetString, in: bytes).content
        self.keyHash = try identifier.next(.octetString, in: bytes).content
        self.serialNumber = try identifier.integer(in: bytes)
        try identifier.finish()
    }
}
