//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of a file's contents, recognized by the outermost fields alone, for messages to the user.
package enum EncodedKind: String, Sendable, Hashable, CaseIterable {
    /// An X.509 certificate (RFC 5280 §4.1).
    case certificate
    /// A revocation list (RFC 5280 §5.1).
    case revocationList = "revocation-list"
    /// An OCSP response (RFC 6960 §4.2.1).
    case ocspResponse = "ocsp-response"
    /// A certificate request (RFC 2986 §4).
    case certificateRequest = "certificate-request"
    /// A PKCS#7 message, or one of CMS (RFC 5652 §3).
    case message = "pkcs7"
    /// An encrypted message of CMS (RFC 5652 §6 and §8, RFC 5083).
    case encryptedMessage = "encrypted-cms"
    /// An OCSP request (RFC 6960 §4.1.1).
    case ocspRequest = "ocsp-request"
    /// A PKCS#12 file (RFC 7292 §4).
    case keyStore = "pkcs12"
    /// A private key, encrypted or not (RFC 5958 §2 and §3, RFC 8017 §A.1.2, RFC 5915 §3).
    case privateKey = "private-key"
    /// A public key (RFC 5280 §4.1.2.7).
    case publicKey = "public-key"

    /// The kinds that programs also write in BER (RFC 5652 §1, RFC 7292 §4).
    private static let kindsInBER: [EncodedKind] = [.message, .encryptedMessage, .keyStore]

    /// Recognizes the kind of a DER encoding, or of a container in BER. `nil` for other octets.
    package init?(of octets: [UInt8]) {
        if let kind = EncodedKind(ofDER: octets) {
            self = kind
        } else {
            // The levels of the outermost element and its fields.
            guard octets.first == DERTag.sequence.octet, let der = try? BERRewriter.definite(octets, levels: 2),
                let kind = EncodedKind(ofDER: der), Self.kindsInBER.contains(kind)
            else { return nil }
            self = kind
        }
    }

    private init?(ofDER der: [UInt8]) {
        let bytes = der.span
        guard var outer = try? DERReader.sole(.sequence, of: ByteRange(0, der.count), in: bytes),
            let first = try? outer.next(in: bytes)
        else { return nil }
        let second = try? outer.next(in: bytes)
        let third = outer.isAtEnd ? nil : try? outer.next(in: bytes)
        let kind =
            switch first.tag {
            case .sequence: Self.kind(first, second, third, in: bytes)
            case .integer: Self.numbered(first, second, third, in: bytes)
            case .enumerated: EncodedKind.ocspResponse
            case .objectIdentifier: second?.tag == .constructed(0) ? Self.message(OID(first.content, in: der)) : nil
            default: nil as EncodedKind?
            }
        guard let kind else { return nil }
        self = kind
    }

    private static func message(_ content: OID) -> EncodedKind {
        let isEncrypted = ["1.2.840.113549.1.7.3", "1.2.840.113549.1.7.6", "1.2.840.113549.1.9.16.1.23"]
            .contains("\(content)")
        return isEncrypted ? .encryptedMessage : .message
    }

    /// Returns `true` for an OCSP request: a list of certificates by digests of their issuers, after an optional
    /// version and name (RFC 6960 §4.1.1).
    private static func isRequest(_ body: ByteRange, in bytes: Span<UInt8>) -> Bool {
        do {
            var fields = DERReader(body, in: bytes)
            for number in UInt8(0)...1 { _ = try fields.optional(.constructed(number), in: bytes) }
            var list = try fields.nested(.sequence, in: bytes)
            var request = try list.nested(.sequence, in: bytes)
            var identifier = try request.nested(.sequence, in: bytes)
            _ = try identifier.nested(.sequence, in: bytes)
            return try identifier.next(in: bytes).tag == .octetString
        } catch {
            return false
        }
    }

    /// Returns the kind of a structure that begins with a SEQUENCE: a signed structure, a key, or an encrypted key.
    private static func kind(
        _ first: DERElement, _ second: DERElement?, _ third: DERElement?, in bytes: Span<UInt8>
    ) -> EncodedKind? {
        if third == nil, second?.tag == .octetString { return .privateKey }
        if third == nil, second?.tag == .bitString { return .publicKey }
        if third == nil, second == nil || second?.tag == .constructed(0), Self.isRequest(first.content, in: bytes) {
            return .ocspRequest
        }
        guard second?.tag == .sequence, third?.tag == .bitString else { return nil }
        var body = DERReader(first.content, in: bytes)
        var tags: [DERTag] = []
        while tags.count < 5, !body.isAtEnd, let element = try? body.next(in: bytes) { tags.append(element.tag) }
        if tags.first == .constructed(0) { return .certificate }
        if tags.starts(with: [.integer, .sequence, .sequence, .constructed(0)]) { return .certificateRequest }
        // A version 1 certificate has its serial number first, and a list has dates in third or fourth place.
        let isTime = { (tag: DERTag) in tag == .utcTime || tag == .generalizedTime }
        if tags.dropFirst(2).prefix(2).contains(where: isTime) { return .revocationList }
        return tags.starts(with: [.integer, .sequence, .sequence, .sequence]) ? .certificate : nil
    }

    /// Returns the kind of a structure that begins with a version: a key or a key store.
    private static func numbered(
        _ first: DERElement, _ second: DERElement?, _ third: DERElement?, in bytes: Span<UInt8>
    ) -> EncodedKind? {
        switch second?.tag {
        case .sequence where third?.tag == .octetString: .privateKey
        case .sequence: first.content.count == 1 && bytes[first.content.lowerBound] == 3 ? .keyStore : nil
        case .integer, .octetString: .privateKey
        default: nil
        }
    }
}
