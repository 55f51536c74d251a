//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The statement of a response about one certificate: `SingleResponse` (RFC 6960 §4.2.1), as far as it can be parsed.
struct OCSPAnswer {
    enum Status { case good, unknown, revoked(RevocationReason, Timestamp?) }

    /// The `CertID`, for comparison with a certificate.
    let identifier: OCSPIdentifier
    let status: Status
    private(set) var thisUpdate: Timestamp?
    private(set) var nextUpdate: Timestamp?
    /// `true` if the whole answer could be parsed and no critical extension is unknown.
    private(set) var isUnderstood: Bool
    /// The list of signed certificate timestamps, in its OCTET STRING (RFC 6962 §3.3).
    private(set) var timestampList: ByteRange?

    /// Reads an answer.
    ///
    /// - Throws: ``DERError`` if the certificate or its status is malformed. An error in a later field is not thrown,
    ///   because the responder signed that the certificate is revoked.
    init(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var single = DERReader(content, in: bytes)
        self.identifier = try OCSPIdentifier(&single, in: bytes)
        let status = try single.next(in: bytes)
        self.status = try Self.status(status, in: bytes)
        self.isUnderstood = true
        do {
            try self.readUpdates(&single, in: bytes)
            // RFC 6960 §4.2.1: good and unknown are NULL.
            let isNull = status.tag == .constructed(1) || status.content.isEmpty
            if !isNull || !self.identifier.isConforming { self.isUnderstood = false }
        } catch {
            self.isUnderstood = false
        }
    }

    private mutating func readUpdates(_ single: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        self.thisUpdate = try single.time(in: bytes)
        if let field = try single.optional(.constructed(0), in: bytes) {
            var inner = DERReader(field.content, in: bytes)
            self.nextUpdate = try inner.time(in: bytes)
            try inner.finish()
        }
        if let extensions = try single.optional(.constructed(1), in: bytes) {
            let extensions = try OCSPResponseExtensions(extensions.content, in: bytes)
            self.isUnderstood = !extensions.hasUnknownCritical
            self.timestampList = extensions.timestampList
        }
        try single.finish()
    }

    private static func status(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) -> Status {
        switch element.tag {
        case .primitive(0): return .good
        case .primitive(2): return .unknown
        case .constructed(1): return Self.revocation(element.content, in: bytes)
        default: throw DERError(.unexpectedTag, at: element.whole.lowerBound)
        }
    }

    var isRevoked: Bool {
        guard case .revoked = self.status else { return false }
        return true
    }

    var isGood: Bool {
        guard case .good = self.status else { return false }
        return true
    }

    /// Reads `RevokedInfo`, the date and the reason, as far as they can be parsed.
    private static func revocation(_ content: ByteRange, in bytes: Span<UInt8>) -> Status {
        var information = DERReader(content, in: bytes)
        let date = try? information.time(in: bytes)
        var reason: RevocationReason?
        if let field = try? information.optional(.constructed(0), in: bytes) {
            var inner = DERReader(field.content, in: bytes)
            if let code = try? inner.next(.enumerated, in: bytes).content, code.count == 1 {
                reason = RevocationReason(rawValue: bytes[code.lowerBound])
            }
        }
        return .revoked(reason ?? .unspecified, date)
    }
}

/// The answers of a response about one certificate.
struct OCSPReading {
    private(set) var answers: [OCSPAnswer] = []
    /// `true` if every answer of the response could be parsed. A malformed one may be about the certificate.
    private(set) var isComplete = true

    var revokes: Bool {
        self.answers.contains { if case .revoked = $0.status { true } else { false } }
    }

    /// The result for a response that was not read.
    static let nothing = OCSPReading()

    private init() { self.isComplete = false }

    init(of response: OCSPResponse, about certificate: CertificateView, issuerKey: PublicKeySource) {
        let bytes = response.bytes
        var reader = DERReader(response.fields.responses, in: bytes.span)
        var issuer = IssuerDigests(certificate, issuerKey)
        while !reader.isAtEnd {
            guard let element = try? reader.next(in: bytes.span) else {
                self.isComplete = false
                return
            }
            guard element.tag == .sequence, let answer = try? OCSPAnswer(element.content, in: bytes.span) else {
                self.isComplete = false
                continue
            }
            let isNamed = answer.identifier.names(certificate, &issuer, in: bytes)
            // The issuer of the number is unknown, so the number may be the certificate's.
            if isNamed == nil { self.isComplete = false }
            if isNamed ?? answer.isRevoked { self.answers.append(answer) }
        }
    }
}

/// The `CertID`: digests of the issuer's name and key, and the serial number (RFC 6960 §4.1.1).
struct OCSPIdentifier {
    let digest: PackedOID
    let nameHash: ByteRange
    let keyHash: ByteRange
    /// The serial number without redundant leading octets.
    let serialNumber: ByteRange
    /// `true` if the structure conforms to its definition. Otherwise it clears no certificate, but may revoke one.
    let isConforming: Bool

    init(_ single: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        var identifier = try single.nested(.sequence, in: bytes)
        var algorithm = try identifier.nested(.sequence, in: bytes)
        self.digest = try algorithm.packedIdentifier(in: bytes)
        let parameters = try? algorithm.optional(.null, in: bytes)
        self.nameHash = try identifier.next(.octetString, in: bytes).content
        self.keyHash = try identifier.next(.octetString, in: bytes).content
        let serial = try identifier.next(.integer, in: bytes).content
        guard !serial.isEmpty else { throw DERError(.invalidInteger, at: serial.lowerBound) }
        self.serialNumber = serial.withoutLeadingZeros(in: bytes)
        try identifier.finish()
        self.isConforming =
            algorithm.isAtEnd && parameters?.content.isEmpty != false
            && (try? DERReader.checkInteger(serial, in: bytes)) != nil
    }

    /// Returns `true` if the identifier names a certificate, or `nil` if the number is equal and the digest of the
    /// issuer is unknown.
    func names(_ certificate: CertificateView, _ issuer: inout IssuerDigests, in bytes: [UInt8]) -> Bool? {
        guard equalBytes(self.serialNumber, in: bytes, certificate.fields.serialNumber, in: certificate.bytes) else {
            return false
        }
        guard let (name, key) = issuer.digests(self.digest) else { return nil }
        return bytes[self.nameHash] == name && bytes[self.keyHash] == key
    }
}

/// The digests of an issuer's name and key, each computed once for all answers of a response.
struct IssuerDigests {
    private let name: [UInt8]
    private let key: [UInt8]
    private var known: [PackedOID: (name: [UInt8], key: [UInt8])] = [:]

    init(_ certificate: CertificateView, _ issuerKey: PublicKeySource) {
        self.name = certificate.encodedIssuer
        self.key = issuerKey.bytes[issuerKey.info.key]
    }

    /// Returns the digests, or `nil` if the algorithm is unknown.
    mutating func digests(_ algorithm: PackedOID) -> (name: [UInt8], key: [UInt8])? {
        if let known = self.known[algorithm] { return known }
        guard let name = OCSPDigest.hash(self.name, algorithm), let key = OCSPDigest.hash(self.key, algorithm) else {
            return nil
        }
        self.known[algorithm] = (name, key)
        return (name, key)
    }
}

extension OCSPResponse {
    /// Returns the first answers that can be parsed, and the number of all answers.
    ///
    /// - Parameter limit: The maximum number of returned answers.
    package func statements(upTo limit: Int) -> (first: [RevocationStatement], count: Int) {
        let bytes = self.bytes
        var reader = DERReader(self.fields.responses, in: bytes.span)
        var (first, count) = ([RevocationStatement](), 0)
        while !reader.isAtEnd, let element = try? reader.next(.sequence, in: bytes.span) {
            count += 1
            guard first.count < limit, let answer = try? OCSPAnswer(element.content, in: bytes.span) else { continue }
            let status: RevocationStatement.Status =
                switch answer.status {
                case .good: .good
                case .unknown: .unknown
                case .revoked(let reason, let date): .revoked(reason, date)
                }
            first.append(
                RevocationStatement(
                    serialNumber: Array(bytes[answer.identifier.serialNumber]), status: status,
                    thisUpdate: answer.thisUpdate, nextUpdate: answer.nextUpdate))
        }
        return (first, count)
    }
}
