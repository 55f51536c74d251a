//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

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

    func status(in evidence: [OCSPEvidence], _ memo: inout SignatureMemo) -> RevocationStatus {
        var review = self.review(of: evidence, &memo)
        for signers in DocumentSigners.allCases { self.look(at: signers, in: &review, &memo) }
        return review.status
    }

    /// The responses about the certificate. Those that revoke come first, so that nothing hides them.
    func review(of evidence: [OCSPEvidence], _ memo: inout SignatureMemo) -> OCSPReview {
        let items = evidence.map { item in
            let response = item.response
            let delegates = self.delegates(in: response).filter(response.names)
            let isIssuers = response.names(self.certificate.issuerName, self.issuerKey)
            return OCSPReview.Item(
                evidence: item, reading: self.reading(of: response, &memo), isNamed: isIssuers || !delegates.isEmpty,
                signers: isIssuers || !delegates.allSatisfy(self.namesAnotherKey) ? .issuers : .strangers)
        }.filter { !$0.reading.answers.isEmpty }
        return OCSPReview(items: items.filter(\.reading.revokes) + items.filter { !$0.reading.revokes })
    }

    /// Looks at responses of one kind of signer. “Revoked” is believed whatever its dates and nonce once its signature holds.
    /// “Good” must be current, come from a signer the profile finds strong enough, stand in a response of which all could be
    /// read, and answer what was asked.
    func look(at signers: DocumentSigners, in review: inout OCSPReview, _ memo: inout SignatureMemo) {
        for item in review.items where item.signers == signers {
            guard item.reading.revokes || (item.isNamed && !review.isGood),
                let signer = self.signer(of: item, &memo)
            else { continue }
            let response = item.evidence.response
            let mayClear = item.evidence.mayClear && item.reading.isComplete && signer == .clears
            for answer in item.reading.answers {
                switch answer.status {
                case .revoked(let reason, let date): review.revocations.append((reason, date ?? response.producedAt))
                case .good: review.isGood = review.isGood || (mayClear && self.isCurrent(answer, response))
                case .unknown: continue
                }
            }
        }
    }

    /// A response that revokes and names no signer at hand may be another authority's: it is verified as far as the budget
    /// goes, and is missed by nothing.
    private func signer(of item: OCSPReview.Item, _ memo: inout SignatureMemo) -> SignerWorth? {
        let response = item.evidence.response
        guard item.reading.revokes else { return self.signer(of: response, &memo) }
        guard item.isNamed else { return memo.withoutWant { self.signer(of: response, &$0) } }
        return memo.whileRevoking { self.signer(of: response, &$0) }
    }

    private func reading(of response: OCSPResponse, _ memo: inout SignatureMemo) -> OCSPReading {
        guard
            let reading = memo.findings.reading(of: response, about: self.certificate, issuerKey: self.issuerKey)
        else {
            (memo.hasRunOut, memo.hasUntriedRevocation) = (true, true)
            return .nothing
        }
        return reading
    }

    private func isCurrent(_ answer: OCSPAnswer, _ response: OCSPResponse) -> Bool {
        self.fault(of: answer, response) == nil
    }

    /// What keeps an answer from clearing the certificate, its signer aside.
    private func fault(of answer: OCSPAnswer, _ response: OCSPResponse) -> RevocationFault? {
        guard let thisUpdate = answer.thisUpdate, answer.isUnderstood, !response.fields.extensions.hasUnknownCritical
        else { return .notUnderstood }
        let (now, start) = (self.request.time.secondsSinceEpoch, thisUpdate.secondsSinceEpoch)
        if let nextUpdate = answer.nextUpdate, nextUpdate < thisUpdate { return .notUnderstood }
        let latest = max(start, response.producedAt.secondsSinceEpoch)
        guard latest - Self.leeway <= now else { return .notBegun(Timestamp(secondsSinceEpoch: latest)) }
        let end = answer.nextUpdate.map { $0.secondsSinceEpoch + Self.leeway } ?? start + Self.lifetimeWithoutEnd
        guard now <= end else { return answer.nextUpdate.map(RevocationFault.ended) ?? .withoutEnd(since: thisUpdate) }
        let limits = self.checker.ageLimits
        let limit = self.certificate.isCertificateAuthority ? limits.authorityResponse : limits.response
        return now - Self.leeway - start <= limit ? nil : .tooOld(since: thisUpdate, maximumSeconds: limit)
    }

    /// What keeps a response about the certificate from saying anything that counts.
    func fault(of item: OCSPEvidence, _ memo: inout SignatureMemo) -> RevocationFault? {
        let reading = self.reading(of: item.response, &memo)
        guard !reading.answers.isEmpty else { return nil }
        guard let signer = self.signer(of: item.response, &memo) else { return .notSignedByIssuer }
        guard reading.answers.contains(where: \.isGood) else { return .statusUnknown }
        if let fault = self.request.fault(of: item.response.fields.signatureAlgorithm) { return fault }
        guard signer == .clears else {
            return self.lacksStatusOfSigner(item.response, &memo) ? .signerStatusUnknown : .signerNotAccepted
        }
        guard item.mayClear else { return .wrongNonce }
        guard reading.isComplete else { return .notUnderstood }
        return reading.answers.lazy.filter(\.isGood).compactMap { self.fault(of: $0, item.response) }.first
    }

    /// Whether a response would count if its signer's own status did not have to be known. A responder that answers for its
    /// own certificate is no one else's word for it: an attacker who has its key would say so, too.
    private func lacksStatusOfSigner(_ response: OCSPResponse, _ memo: inout SignatureMemo) -> Bool {
        guard self.checker.policy.mode == .hard else { return false }
        var policy = self.checker.policy
        policy.mode = .soft
        let checker = RevocationChecker(
            path: self.checker.path, request: self.request, policy: policy, anchors: self.checker.anchors,
            depth: self.checker.depth, supplied: self.checker.supplied)
        let lenient = OCSPChecker(
            certificate: self.certificate, issuerKey: self.issuerKey, checker: checker, index: self.index)
        return lenient.signer(of: response, &memo) == .clears
    }

    // MARK: The signer

    /// The issuer itself, or a certificate the issuer made for answering (RFC 6960 §4.2.2.2). A response that names another
    /// signer clears nothing (§4.2.2.3; SecOCSPResponse.c `SecOCSPResponseIsIssuer`).
    private func signer(of response: OCSPResponse, _ memo: inout SignatureMemo) -> SignerWorth? {
        let isStrong = self.request.fault(of: response.fields.signatureAlgorithm) == nil
        let isNamed = response.names(self.certificate.issuerName, self.issuerKey)
        let delegates = self.delegates(in: response)
        // A response that names a delegate is no other key's.
        let isDelegates = !isNamed && delegates.contains(where: response.names)
        if !isDelegates, memo.isSigned(response, with: self.issuerKey) {
            return isNamed && isStrong && self.isStrong(self.issuerKey) ? .clears : .revokes
        }
        var worth: SignerWorth?
        for delegate in delegates where self.isIssuers(delegate, &memo) {
            memo.prove(delegate: delegate, signedWith: self.issuerKey)
            guard memo.isSigned(response, with: PublicKeySource(delegate)) else { continue }
            if isStrong, self.mayClear(delegate, response, memo: &memo) { return .clears }
            worth = .revokes
        }
        return worth
    }

    /// The certificates that the issuer may have made for answering: the one the response names first, since anyone can add
    /// others to a response. A response may come without its signer's certificate (RFC 6960 §4.2.1).
    private func delegates(in response: OCSPResponse) -> [CertificateView] {
        let candidates = (response.certificates + self.checker.supplied).filter { candidate in
            candidate.fields.extensions.purposes.contains(.ocspSigning)
                && candidate.issuerName.isSameName(as: self.certificate.issuerName)
        }
        guard candidates.count > 1 else { return candidates }
        let named = candidates.filter(response.names)
        return named.filter { !self.namesAnotherKey($0) } + named.filter(self.namesAnotherKey)
            + candidates.filter { !response.names($0) }
    }

    /// Whether the issuer's key signed a delegate's certificate. One that names another key is verified as far as the budget
    /// goes: the issuer's key may have several identifiers, and a stranger's delegate names the stranger's.
    private func isIssuers(_ delegate: CertificateView, _ memo: inout SignatureMemo) -> Bool {
        guard self.namesAnotherKey(delegate) else {
            return memo.isSigned(delegate: delegate, with: self.issuerKey)
        }
        return memo.withoutWant { $0.isSigned(delegate: delegate, with: self.issuerKey) }
    }

    private func namesAnotherKey(_ delegate: CertificateView) -> Bool {
        self.issuer.map { delegate.keyIdentifierMatches(issuer: $0) == false } ?? false
    }

    /// Whether a delegate may clear the certificate: it was in date when it answered and is so now, keeps every rule of its
    /// path, is not revoked, and is another than the certificate in question.
    private func mayClear(
        _ delegate: CertificateView, _ response: OCSPResponse, memo: inout SignatureMemo
    ) -> Bool {
        let producedAt = response.producedAt
        let answersForItself = PublicKeySource(delegate).isSameKey(as: PublicKeySource(self.certificate))
        return !answersForItself && response.names(delegate) && delegate.notBefore <= producedAt
            && producedAt <= delegate.notAfter
            && self.checker.mayClear(responder: delegate, below: self.index, &memo)
    }

    /// The issuer's certificate; `nil` below an anchor that is a name and a key.
    private var issuer: CertificateView? {
        let above = self.index + 1
        return above < self.checker.path.certificates.count ? self.checker.path.certificates[above] : nil
    }

    /// A key of an anchor that is a name and a key stands on no certificate that would have been judged.
    private func isStrong(_ key: PublicKeySource) -> Bool {
        let checks = PathChecks(path: self.checker.path, request: self.request)
        return checks.isStrong(key.info)
    }
}

/// The responses about one certificate, and what those that were looked at come to.
struct OCSPReview {
    struct Item {
        let evidence: OCSPEvidence
        let reading: OCSPReading
        /// Whether the response names a signer that is at hand (RFC 6960 §4.2.2.3).
        let isNamed: Bool
        let signers: DocumentSigners
    }

    let items: [Item]
    var isGood = false
    var revocations: [(RevocationReason, Timestamp)] = []

    init(items: [Item]) { self.items = items }

    var status: RevocationStatus {
        RevocationStatus.first(of: self.revocations)
            ?? (self.isGood ? .good : .unknown(self.items.isEmpty ? .noInformation : .notUsable))
    }
}

extension OCSPResponse {
    fileprivate func names(_ delegate: CertificateView) -> Bool {
        self.names(delegate.subjectName, PublicKeySource(delegate))
    }

    /// Whether the `responderID` is a signer's: its name, or the SHA-1 digest of its key (RFC 6960 §4.2.2.3).
    fileprivate func names(_ signer: NameSource, _ key: PublicKeySource) -> Bool {
        let bytes = self.bytes
        var reader = DERReader(self.fields.responder, in: bytes.span)
        guard let element = try? reader.next(in: bytes.span), reader.isAtEnd else { return false }
        switch element.tag {
        case .sequence:
            return DistinguishedName.areEqual(element.content, of: self.bytes, signer.range, of: signer.bytes)
        case .octetString:
            return self.bytes[element.content] == Array(Insecure.SHA1.hash(data: key.bytes[key.info.key]))
        default: return false
        }
    }
}
