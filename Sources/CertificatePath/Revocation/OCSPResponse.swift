//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed OCSP response (RFC 6960 §4.2.1): its DER bytes and the offsets of its fields.
///
/// Parse a stapled or downloaded response and add it to a ``RevocationPolicy``. Parsing verifies no signature. The
/// evaluation does that with the key of the issuer or its delegate.
public final class OCSPResponse: Sendable {
    /// The DER encoding.
    public let bytes: [UInt8]
    let fields: OCSPResponseFields
    let certificates: [CertificateView]

    /// Parses a response.
    ///
    /// - Parameter der: The DER encoding of one OCSPResponse, at most 1 MiB, without trailing bytes.
    /// - Throws: ``DERError`` with the broken rule and the byte offset. A response with an error status also throws,
    ///   because it has no certificate's status.
    public init(der: [UInt8]) throws(DERError) {
        let fields = try OCSPResponseFields(parsing: der.span)
        self.fields = fields
        self.certificates = Self.certificates(in: fields.certificates, of: der)
        self.bytes = der
    }

    /// The time at which the response was made.
    public var producedAt: Timestamp { self.fields.producedAt }

    /// The nonce of the request that the response answers (RFC 9654), 1 to 128 octets, or `nil` if it has none.
    public var nonce: [UInt8]? { self.fields.extensions.nonce.map { self.bytes[$0] } }

    /// The time at which a newer response is due: the earliest `nextUpdate` of its answers, or `nil` if one of them has none.
    public var nextUpdate: Timestamp? {
        let bytes = self.bytes
        var reader = DERReader(self.fields.responses, in: bytes.span)
        var earliest: Timestamp?
        while !reader.isAtEnd, let element = try? reader.next(.sequence, in: bytes.span) {
            guard let answer = try? OCSPAnswer(element.content, in: bytes.span) else { continue }
            guard let end = answer.nextUpdate else { return nil }
            earliest = min(earliest ?? end, end)
        }
        return earliest
    }

    /// Returns the certificates in the response. They are not signed, so an attacker may have added some. Only the
    /// response's size limits their number.
    private static func certificates(in list: ByteRange, of bytes: [UInt8]) -> [CertificateView] {
        var reader = DERReader(list, in: bytes.span)
        var certificates: [CertificateView] = []
        while !reader.isAtEnd, let element = try? reader.next(in: bytes.span) {
            if let certificate = try? CertificateView(der: bytes[element.whole]) { certificates.append(certificate) }
        }
        return certificates
    }
}

extension OCSPResponse: Hashable {
    /// Returns `true` if both responses have the same bytes.
    public static func == (left: OCSPResponse, right: OCSPResponse) -> Bool {
        left === right || left.bytes == right.bytes
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}

/// The fields of an OCSP response as offsets into its bytes.
struct OCSPResponseFields: Sendable {
    private static let maximumSize = 1 << 20

    let tbsResponseData: ByteRange
    /// The element in `responderID`: a name, or an OCTET STRING with the SHA-1 digest of a key.
    let responder: ByteRange
    let signatureAlgorithm: SignatureAlgorithm
    let signature: ByteRange
    let producedAt: Timestamp
    /// The content of `responses`, which is SingleResponses.
    let responses: ByteRange
    /// The content of `certs`, or empty if the field is absent.
    let certificates: ByteRange
    let extensions: OCSPResponseExtensions

    init(parsing bytes: Span<UInt8>) throws(DERError) {
        guard !bytes.isEmpty else { throw DERError(.empty, at: 0) }
        guard bytes.count <= Self.maximumSize else { throw DERError(.tooLarge, at: Self.maximumSize) }
        var response = try DERReader.sole(.sequence, of: ByteRange(0, bytes.count), in: bytes)
        let status = try response.next(.enumerated, in: bytes).content
        guard status.count == 1, bytes[status.lowerBound] == 0 else {
            throw DERError(.unsuccessfulResponse, at: status.lowerBound)
        }
        let wrapper = try response.next(.constructed(0), in: bytes)
        try response.finish()
        var typed = try DERReader.sole(.sequence, of: wrapper.content, in: bytes)
        guard try typed.packedIdentifier(in: bytes) == Self.basic else {
            throw DERError(.unexpectedTag, at: typed.position)
        }
        let octets = try typed.next(.octetString, in: bytes)
        try typed.finish()

        var basic = try DERReader.sole(.sequence, of: octets.content, in: bytes)
        let data = try basic.next(.sequence, in: bytes)
        self.signatureAlgorithm = try SignatureAlgorithm(basic.next(.sequence, in: bytes).content, in: bytes)
        let (signature, unused) = try basic.bitString(in: bytes)
        guard unused == 0 else { throw DERError(.invalidBitString, at: signature.lowerBound) }
        self.signature = signature
        let certificates = try basic.optional(.constructed(0), in: bytes)
        try basic.finish()
        self.tbsResponseData = data.whole
        self.certificates =
            try certificates.map { element throws(DERError) in
                let list = try DERReader.sole(.sequence, of: element.content, in: bytes)
                return ByteRange(list.position, list.end)
            } ?? .empty
        (self.responder, self.producedAt, self.responses, self.extensions) = try Self.data(data.content, in: bytes)
    }

    private static func data(
        _ content: ByteRange, in bytes: Span<UInt8>
    ) throws(DERError) -> (ByteRange, Timestamp, ByteRange, OCSPResponseExtensions) {
        var data = DERReader(content, in: bytes)
        if let version = try data.optional(.constructed(0), in: bytes) {
            var inner = DERReader(version.content, in: bytes)
            guard try inner.unsigned32(in: bytes) == 0 else {
                throw DERError(.invalidVersion, at: version.whole.lowerBound)
            }
            try inner.finish()
        }
        let responder = try data.next(in: bytes)
        guard responder.tag == .constructed(1) || responder.tag == .constructed(2) else {
            throw DERError(.unexpectedTag, at: responder.whole.lowerBound)
        }
        let producedAt = try data.time(in: bytes)
        let responses = try data.next(.sequence, in: bytes).content
        var extensions = OCSPResponseExtensions()
        if let field = try data.optional(.constructed(1), in: bytes) {
            // No error is thrown, because the answer about a revoked certificate still counts.
            do { extensions = try OCSPResponseExtensions(field.content, in: bytes) } catch { extensions = .unreadable }
        }
        try data.finish()
        return (responder.content, producedAt, responses, extensions)
    }

    /// The type id-pkix-ocsp-basic.
    private static let basic = PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01])
}

/// The extensions of a response, or of one answer in it (RFC 6960 §4.4).
struct OCSPResponseExtensions: Sendable {
    /// `true` if a critical extension is unknown, which might change the meaning of the answers. No known extension does.
    private(set) var hasUnknownCritical = false
    private(set) var nonce: ByteRange?
    /// The list of signed certificate timestamps, in its OCTET STRING (RFC 6962 §3.3).
    private(set) var timestampList: ByteRange?
    /// `true` if the nonce is malformed. The response then answers no request of this client.
    private(set) var hasMalformedNonce = false

    init() {}

    /// The value for malformed extensions, any of which may be critical.
    static let unreadable: OCSPResponseExtensions = {
        var extensions = OCSPResponseExtensions()
        (extensions.hasUnknownCritical, extensions.hasMalformedNonce) = (true, true)
        return extensions
    }()

    init(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var list = try DERReader.sole(.sequence, of: content, in: bytes)
        while !list.isAtEnd {
            let item = try ExtensionItem(&list, in: bytes)
            let type = PackedOID(item.identifier, in: bytes)
            if type == Self.nonceType {
                self.readNonce(item.value, in: bytes)
                continue
            }
            if type == Self.timestampsType {
                if self.timestampList == nil { self.timestampList = item.value }
            } else if item.isCritical {
                self.hasUnknownCritical = true
            }
        }
    }

    /// Reads the nonce. No error is thrown, because the answer about a revoked certificate counts with any nonce.
    private mutating func readNonce(_ content: ByteRange, in bytes: Span<UInt8>) {
        var value = DERReader(content, in: bytes)
        if self.nonce == nil, let nonce = try? value.next(.octetString, in: bytes).content, value.isAtEnd,
            OCSPRequest.nonceSizes.contains(nonce.count)
        {
            self.nonce = nonce
        } else {
            self.hasMalformedNonce = true
        }
    }

    private static let nonceType = PackedOID(OCSPDigest.nonceType)
    /// The identifier 1.3.6.1.4.1.11129.2.4.5.
    private static let timestampsType = PackedOID([0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x05])
}
