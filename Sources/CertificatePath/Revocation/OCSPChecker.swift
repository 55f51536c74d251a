//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The status of one certificate by OCSP responses (RFC 6960 §3.2, with Apple's tolerances for clocks).
struct OCSPChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    /// The DER encoding of the issuer's name.
    let issuerName: [UInt8]
    let time: Timestamp

    /// SecOCSPResponse.c: a clock may be 75 minutes off, and a response without an end is good for a day.
    private static let leeway: Int64 = 4_500
    private static let lifetimeWithoutEnd: Int64 = 86_400
    private static let maximumResponses = 1_024

    /// “Revoked” is believed whatever its dates once its signature holds; “good” must be current.
    func status(in responses: [OCSPResponse], _ builder: inout PathBuilder) -> RevocationStatus {
        var isAnyAboutCertificate = false
        var isGood = false
        for response in responses {
            let answers = self.answers(in: response)
            guard !answers.isEmpty else { continue }
            isAnyAboutCertificate = true
            guard let signer = self.signer(of: response, &builder) else { continue }
            for answer in answers {
                switch answer.status {
                case .revoked(let reason, let date): return .revoked(reason, date)
                case .good: isGood = isGood || (signer.isInDate(self.time) && self.isCurrent(answer, response))
                case .unknown: continue
                }
            }
        }
        if isGood { return .good }
        return .unknown(isAnyAboutCertificate ? .notUsable : .noInformation)
    }

    private struct Answer {
        enum Status { case good, unknown, revoked(RevocationReason, Timestamp) }
        let status: Status
        let thisUpdate: Timestamp
        let nextUpdate: Timestamp?
        let isUnderstood: Bool
    }

    private func isCurrent(_ answer: Answer, _ response: OCSPResponse) -> Bool {
        let now = self.time.secondsSinceEpoch
        let end =
            answer.nextUpdate.map { $0.secondsSinceEpoch + Self.leeway }
            ?? answer.thisUpdate.secondsSinceEpoch + Self.lifetimeWithoutEnd
        return answer.isUnderstood && !response.fields.hasUnknownCriticalExtension
            && answer.thisUpdate.secondsSinceEpoch - Self.leeway <= now
            && response.producedAt.secondsSinceEpoch - Self.leeway <= now && now <= end
    }

    // MARK: What a response says

    private func answers(in response: OCSPResponse) -> [Answer] {
        let bytes = response.bytes
        var reader = DERReader(response.fields.responses, in: bytes.span)
        var answers: [Answer] = []
        var count = 0
        do {
            while !reader.isAtEnd, count < Self.maximumResponses {
                count += 1
                var single = try reader.nested(.sequence, in: bytes.span)
                let isAboutCertificate = try self.matches(&single, in: bytes)
                let answer = try Self.answer(&single, in: bytes.span)
                if isAboutCertificate { answers.append(answer) }
            }
        } catch {
            return []
        }
        return answers
    }

    /// `CertID`: digests of the issuer's name and key, and the serial number (RFC 6960 §4.1.1).
    private func matches(_ single: inout DERReader, in bytes: [UInt8]) throws(DERError) -> Bool {
        var identifier = try single.nested(.sequence, in: bytes.span)
        var algorithm = try identifier.nested(.sequence, in: bytes.span)
        let digest = try algorithm.packedIdentifier(in: bytes.span)
        let nameHash = try identifier.next(.octetString, in: bytes.span).content
        let keyHash = try identifier.next(.octetString, in: bytes.span).content
        let serial = try identifier.integer(in: bytes.span)
        try identifier.finish()
        guard equalBytes(bytes, serial, self.certificate.bytes, self.certificate.fields.serialNumber) else {
            return false
        }
        let key = self.issuerKey.bytes[self.issuerKey.info.key]
        return bytes[nameHash] == Self.hash(self.issuerName, digest) && bytes[keyHash] == Self.hash(key, digest)
    }

    private static func hash(_ data: [UInt8], _ algorithm: PackedOID) -> [UInt8]? {
        switch algorithm {
        case Self.sha1: Array(Insecure.SHA1.hash(data: data))
        case Self.sha256: Array(SHA256.hash(data: data))
        case Self.sha384: Array(SHA384.hash(data: data))
        case Self.sha512: Array(SHA512.hash(data: data))
        default: nil
        }
    }

    private static func answer(_ single: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> Answer {
        let status = try Self.status(try single.next(in: bytes), in: bytes)
        let thisUpdate = try single.time(in: bytes)
        var nextUpdate: Timestamp?
        if let field = try single.optional(.constructed(0), in: bytes) {
            var inner = DERReader(field.content, in: bytes)
            nextUpdate = try inner.time(in: bytes)
            try inner.finish()
        }
        var isUnderstood = true
        if let extensions = try single.optional(.constructed(1), in: bytes) {
            isUnderstood = try !OCSPResponseFields.hasCritical(extensions.content, in: bytes)
        }
        try single.finish()
        return Answer(status: status, thisUpdate: thisUpdate, nextUpdate: nextUpdate, isUnderstood: isUnderstood)
    }

    private static func status(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) -> Answer.Status {
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

    // MARK: Who says it

    private enum Signer {
        case issuer
        case delegate(CertificateView)

        func isInDate(_ time: Timestamp) -> Bool {
            guard case .delegate(let certificate) = self else { return true }
            return certificate.notBefore <= time && time <= certificate.notAfter
        }
    }

    /// The issuer itself, or a certificate the issuer made for answering (RFC 6960 §4.2.2.2) that was valid when it did.
    private func signer(of response: OCSPResponse, _ builder: inout PathBuilder) -> Signer? {
        if builder.isSigned(response, with: self.issuerKey) { return .issuer }
        let delegate = response.certificates.first { candidate in
            candidate.fields.extensions.purposes.contains(.ocspSigning)
                && candidate.isUsable(at: response.producedAt)
                && self.isIssuer(of: candidate)
                && builder.outcome(of: candidate, signedWith: self.issuerKey) == .valid
                && builder.isSigned(response, with: PublicKeySource(candidate))
        }
        return delegate.map { .delegate($0) }
    }

    private func isIssuer(of candidate: CertificateView) -> Bool {
        DistinguishedName.areEqual(
            candidate.fields.issuer, of: candidate.bytes,
            self.certificate.fields.issuer, of: self.certificate.bytes)
    }

    private static let sha1 = PackedOID([0x2B, 0x0E, 0x03, 0x02, 0x1A])
    private static let sha256 = PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])
    private static let sha384 = PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02])
    private static let sha512 = PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03])
}

extension CertificateView {
    /// The rules of a path that a responder's certificate, being one step below its issuer, can break by itself.
    fileprivate func isUsable(at time: Timestamp) -> Bool {
        let fields = self.fields
        return fields.notBefore <= time && time <= fields.notAfter
            && fields.extensions.unknownCritical.isEmpty && fields.extensions.duplicate.isEmpty
            && fields.extensions.firstMalformed == nil && !fields.hasMalformedName
            && !fields.signatureAlgorithm.digest.isBroken
            && (!fields.extensions.has(.keyUsage) || fields.extensions.keyUsage.contains(.digitalSignature))
    }
}
