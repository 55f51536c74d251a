//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The status of one certificate by OCSP responses (RFC 6960 §3.2, with Apple's tolerances for clocks).
struct OCSPChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    let checker: RevocationChecker
    let index: Int

    private var request: ValidationRequest { self.checker.request }

    /// SecOCSPResponse.c: a clock may be 75 minutes off, and a response without an end is good for a day.
    private static let leeway: Int64 = 4_500
    private static let lifetimeWithoutEnd: Int64 = 86_400

    /// “Revoked” is believed whatever its dates and nonce once its signature holds; “good” must be current, come from
    /// someone the profile finds strong enough, and answer what was asked.
    func status(in evidence: [OCSPEvidence], _ memo: inout SignatureMemo) -> RevocationStatus {
        var isAnyAboutCertificate = false
        var isGood = false
        for item in evidence {
            let answers = self.answers(in: item.response)
            guard !answers.isEmpty else { continue }
            isAnyAboutCertificate = true
            guard let signer = self.signer(of: item.response, &memo) else { continue }
            let mayClear = item.mayClear && self.mayClear(signer, item.response)
            for answer in answers {
                switch answer.status {
                case .revoked(let reason, let date): return .revoked(reason, date)
                case .good: isGood = isGood || (mayClear && self.isCurrent(answer, item.response))
                case .unknown: continue
                }
            }
        }
        if isGood { return .good }
        return .unknown(isAnyAboutCertificate ? .notUsable : .noInformation)
    }

    private func isCurrent(_ answer: OCSPAnswer, _ response: OCSPResponse) -> Bool {
        let now = self.request.time.secondsSinceEpoch
        let end =
            answer.nextUpdate.map { $0.secondsSinceEpoch + Self.leeway }
            ?? answer.thisUpdate.secondsSinceEpoch + Self.lifetimeWithoutEnd
        return answer.isUnderstood && !response.fields.extensions.hasUnknownCritical
            && answer.thisUpdate.secondsSinceEpoch - Self.leeway <= now
            && response.producedAt.secondsSinceEpoch - Self.leeway <= now && now <= end
    }

    // MARK: What a response says

    private func answers(in response: OCSPResponse) -> [OCSPAnswer] {
        let bytes = response.bytes
        var reader = DERReader(response.fields.responses, in: bytes.span)
        var answers: [OCSPAnswer] = []
        do {
            for _ in 0..<OCSPAnswer.maximumCount where !reader.isAtEnd {
                let answer = try OCSPAnswer(&reader, in: bytes.span)
                if self.isNamed(by: answer.identifier, in: bytes) { answers.append(answer) }
            }
        } catch {
            return []
        }
        return answers
    }

    private func isNamed(by identifier: OCSPIdentifier, in bytes: [UInt8]) -> Bool {
        let own = self.certificate
        guard equalBytes(bytes, identifier.serialNumber, own.bytes, own.fields.serialNumber) else { return false }
        let key = self.issuerKey.bytes[self.issuerKey.info.key]
        return bytes[identifier.nameHash] == OCSPDigest.hash(own.encodedIssuer, identifier.digest)
            && bytes[identifier.keyHash] == OCSPDigest.hash(key, identifier.digest)
    }

    // MARK: Who says it

    private enum Signer {
        case issuer
        case delegate(CertificateView)
    }

    /// The issuer itself, or a certificate the issuer made for answering (RFC 6960 §4.2.2.2) that was valid when it did.
    private func signer(of response: OCSPResponse, _ memo: inout SignatureMemo) -> Signer? {
        if memo.isSigned(response, with: self.issuerKey) { return .issuer }
        let delegate = response.certificates.first { candidate in
            candidate.fields.extensions.purposes.contains(.ocspSigning)
                && candidate.isUsable(at: response.producedAt)
                && self.isIssuer(of: candidate)
                && memo.outcome(of: candidate, signedWith: self.issuerKey) == .valid
                && memo.isSigned(response, with: PublicKeySource(candidate))
        }
        return delegate.map { .delegate($0) }
    }

    private func isIssuer(of candidate: CertificateView) -> Bool {
        DistinguishedName.areEqual(
            candidate.fields.issuer, of: candidate.bytes,
            self.certificate.fields.issuer, of: self.certificate.bytes)
    }

    /// Whether a signer is strong enough to clear a certificate under the profile, and still in date. The issuer was held
    /// to the profile on the path already.
    private func mayClear(_ signer: Signer, _ response: OCSPResponse) -> Bool {
        let digest = response.fields.signatureAlgorithm.digest
        let isForServer = self.request.purposes.contains { $0.purpose == .server }
        let profile = self.request.profile
        let isSHA1Allowed = isForServer ? profile.allowsSHA1OnServers : profile.allowsSHA1
        guard !digest.isBroken, digest != .sha1 || isSHA1Allowed else { return false }
        guard case .delegate(let delegate) = signer else { return true }
        let time = self.request.time
        return delegate.notBefore <= time && time <= delegate.notAfter && self.isStrong(delegate)
    }

    /// The delegate's key and the digest it is signed over, by the rules for the path's own certificates.
    private func isStrong(_ delegate: CertificateView) -> Bool {
        let above = self.checker.path.certificates.dropFirst(self.index + 1)
        let path = CandidatePath(
            certificates: [delegate] + above, anchor: self.checker.path.anchor, deadEnd: nil)
        var checks = PathChecks(path: path, request: self.request)
        checks.checkCertificate(at: 0)
        return !checks.rejections.contains { rejection in
            switch rejection.reason {
            case .weakKey, .keyTooSmallForServer, .brokenDigest, .weakDigest: true
            default: false
            }
        }
    }
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
