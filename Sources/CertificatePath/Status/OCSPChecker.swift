//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The status of one certificate by OCSP responses (RFC 6960 §3.2, with Apple's tolerances for clocks).
struct OCSPChecker {
    let certificate: CertificateView
    let issuerKey: PublicKeySource
    let identifiers: KeyIdentifiers
    let checker: RevocationChecker
    let index: Int

    private var request: ValidationRequest { self.checker.request }

    /// The tolerance for clocks in seconds, 75 minutes. A response without an end is valid for a day (SecOCSPResponse.c).
    private static let leeway: Int64 = 4_500
    private static let lifetimeWithoutEnd: Int64 = 86_400

    func status(in evidence: [OCSPEvidence], _ memo: inout SignatureMemo) -> RevocationStatus {
        var review = self.review(of: evidence, &memo)
        for signers in DocumentSigners.allCases { self.look(at: signers, in: &review, &memo) }
        return review.status
    }

    /// Returns the responses about the certificate. Those that revoke come first, so that other responses cannot displace them.
    func review(of evidence: [OCSPEvidence], _ memo: inout SignatureMemo) -> OCSPReview {
        guard !evidence.isEmpty else { return OCSPReview() }
        var review = OCSPReview(supplied: self.delegates(among: self.checker.signers.certificates, &memo))
        let items = evidence.compactMap { self.item($0, review, &memo) }
        review.items = items.filter(\.reading.revokes) + items.filter { !$0.reading.revokes }
        return review
    }

    /// Returns a response with its available signers, or `nil` if it is about other certificates.
    private func item(
        _ evidence: OCSPEvidence, _ review: OCSPReview, _ memo: inout SignatureMemo
    ) -> OCSPReview.Item? {
        let response = evidence.response
        let reading = self.reading(of: response, &memo)
        guard !reading.answers.isEmpty else { return nil }
        let responder = response.responder(&memo.names)
        // A response may lack its signer's certificate (RFC 6960 §4.2.1), and an attacker can add certificates to it.
        let own = self.delegates(among: response.certificates, &memo)
        let named = own.filter { $0.identity == responder } + review.supplied(namedBy: responder)
        let issuer = ResponderIdentity(
            self.certificate.issuerName, in: self.certificate, self.issuerKey, &memo.names)
        return OCSPReview.Item(
            evidence: evidence, reading: reading, isIssuers: issuer == responder,
            named: named.filter { !$0.namesAnotherKey } + named.filter(\.namesAnotherKey),
            others: own.filter { $0.identity != responder }, responder: responder)
    }

    /// Returns the certificates that the issuer may have made for OCSP responders.
    private func delegates(
        among certificates: [CertificateView], _ memo: inout SignatureMemo
    ) -> [OCSPReview.Delegate] {
        certificates.compactMap { candidate in
            guard candidate.fields.extensions.purposes.contains(.ocspSigning),
                memo.names.isSame(
                    candidate.issuerName, in: candidate, self.certificate.issuerName, in: self.certificate)
            else { return nil }
            return OCSPReview.Delegate(
                certificate: candidate,
                identity: ResponderIdentity(
                    candidate.subjectName, in: candidate, PublicKeySource(candidate), &memo.names),
                namesAnotherKey: self.identifiers.exclude(
                    candidate.fields.extensions.authorityKeyIdentifier, in: candidate.bytes))
        }
    }

    /// Examines the responses of one kind of signer.
    ///
    /// "Revoked" counts with any date and nonce if the signature is valid. "Good" must be current, signed by a signer
    /// that the profile accepts as strong enough, in a response that was parsed completely, and an answer to the
    /// request. The signature of any other response is not verified.
    func look(at signers: DocumentSigners, in review: inout OCSPReview, _ memo: inout SignatureMemo) {
        for item in review.items where item.signers == signers {
            guard item.reading.revokes || (item.isNamed && !review.isGood && self.mayClear(item)) else { continue }
            memo.whileExamining { memo in
                let before = review.status
                if let signer = self.signer(of: item, in: review, &memo) { self.add(item, signer, to: &review) }
                return review.status != before
            }
        }
    }

    /// Returns `true` if a response clears the certificate once its signer is known.
    private func mayClear(_ item: OCSPReview.Item) -> Bool {
        let response = item.evidence.response
        return item.evidence.mayClear && item.reading.isComplete
            && self.request.fault(of: response.fields.signatureAlgorithm) == nil
            && item.reading.answers.contains { $0.isGood && self.isCurrent($0, response) }
    }

    private func add(_ item: OCSPReview.Item, _ signer: SignerWorth, to review: inout OCSPReview) {
        let response = item.evidence.response
        for case .revoked(let reason, let date) in item.reading.answers.map(\.status) {
            review.revocations.append((reason, date ?? response.producedAt))
        }
        review.isGood = review.isGood || (signer == .clears && self.mayClear(item))
    }

    /// Returns the effect of a response. One that revokes and names no available signer may be another authority's. It
    /// is verified if the budget allows it, and an exhausted budget then does not count as a missing answer.
    private func signer(
        of item: OCSPReview.Item, in review: OCSPReview, _ memo: inout SignatureMemo
    ) -> SignerWorth? {
        guard item.reading.revokes else { return self.worth(of: item, in: review, &memo) }
        guard item.isNamed else { return memo.withoutWant { self.worth(of: item, in: review, &$0) } }
        return memo.whileRevoking { self.worth(of: item, in: review, &$0) }
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

    /// Returns the fault that keeps an answer from clearing the certificate, apart from its signer.
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

    /// Returns the fault that keeps a response about the certificate from counting.
    func fault(of item: OCSPEvidence, _ memo: inout SignatureMemo) -> RevocationFault? {
        let review = self.review(of: [item], &memo)
        guard let found = review.items.first else { return nil }
        let reading = found.reading
        let goods = reading.answers.filter(\.isGood)
        // A response that has ended clears nothing, whoever signed it. Its signature is not verified.
        let faults = goods.compactMap { self.fault(of: $0, item.response) }
        if let fault = faults.first, faults.count == goods.count, !reading.revokes { return fault }
        guard let signer = self.worth(of: found, in: review, &memo) else { return .notSignedByIssuer }
        guard !goods.isEmpty else { return .statusUnknown }
        if let fault = self.request.fault(of: item.response.fields.signatureAlgorithm) { return fault }
        guard signer == .clears else {
            return self.lacksStatusOfSigner(found, in: review, &memo) ? .signerStatusUnknown : .signerNotAccepted
        }
        guard item.mayClear else { return .wrongNonce }
        guard reading.isComplete else { return .notUnderstood }
        return faults.first
    }

    /// Returns `true` if a response would count if its signer's own status did not have to be known. A responder's
    /// answer about its own certificate proves nothing, because an attacker with the key would give the same answer.
    private func lacksStatusOfSigner(
        _ item: OCSPReview.Item, in review: OCSPReview, _ memo: inout SignatureMemo
    ) -> Bool {
        guard self.checker.policy.mode == .hard else { return false }
        let lenient = OCSPChecker(
            certificate: self.certificate, issuerKey: self.issuerKey, identifiers: self.identifiers,
            checker: self.checker.lenient, index: self.index)
        return lenient.worth(of: item, in: review, &memo) == .clears
    }

    // MARK: The signer

    /// Returns the effect of a response. Its signer is the issuer itself, or a certificate that the issuer made for
    /// responders (RFC 6960 §4.2.2.2). A response that names another signer clears no certificate (§4.2.2.3;
    /// SecOCSPResponse.c `SecOCSPResponseIsIssuer`).
    private func worth(
        of item: OCSPReview.Item, in review: OCSPReview, _ memo: inout SignatureMemo
    ) -> SignerWorth? {
        let response = item.evidence.response
        let isStrong = self.request.fault(of: response.fields.signatureAlgorithm) == nil
        // A response that names a delegate is not signed by another key.
        let isDelegates = !item.isIssuers && !item.named.isEmpty
        if !isDelegates, memo.isSigned(response, with: self.issuerKey) {
            return item.isIssuers && isStrong && self.isStrong(self.issuerKey) ? .clears : .revokes
        }
        var worth: SignerWorth?
        for (isNamed, delegates) in [(true, item.named), (false, item.others), (false, review.supplied)] {
            for delegate in delegates {
                guard memo.spendPair() else { return worth }
                guard isNamed || delegate.identity != item.responder,
                    self.hasSigned(delegate, response, &memo)
                else { continue }
                if isNamed, isStrong, self.mayClear(delegate, response, memo: &memo) { return .clears }
                worth = .revokes
            }
        }
        return worth
    }

    /// Returns `true` if the issuer's key certified a delegate that signed a response.
    private func hasSigned(
        _ delegate: OCSPReview.Delegate, _ response: OCSPResponse, _ memo: inout SignatureMemo
    ) -> Bool {
        guard self.isIssuers(delegate, &memo) else { return false }
        memo.prove(delegate: delegate.certificate, signedWith: self.issuerKey)
        return memo.isSigned(response, with: PublicKeySource(delegate.certificate))
    }

    /// Returns `true` if the issuer's key signed a delegate's certificate. A certificate that names another key is
    /// verified if the budget allows it. The issuer's key may have several identifiers, and the delegate of another
    /// authority names that authority's key.
    private func isIssuers(_ delegate: OCSPReview.Delegate, _ memo: inout SignatureMemo) -> Bool {
        guard delegate.namesAnotherKey else {
            return memo.isSigned(delegate: delegate.certificate, with: self.issuerKey)
        }
        return memo.withoutWant { $0.outcome(of: delegate.certificate, signedWith: self.issuerKey) } == .valid
    }

    /// Returns `true` if a delegate may clear the certificate. It was valid when it answered, its path keeps every
    /// rule now, it is not revoked, and its key is not that of the certificate in question.
    private func mayClear(
        _ delegate: OCSPReview.Delegate, _ response: OCSPResponse, memo: inout SignatureMemo
    ) -> Bool {
        let (certificate, producedAt) = (delegate.certificate, response.producedAt)
        let answersForItself = PublicKeySource(certificate).isSameKey(as: PublicKeySource(self.certificate))
        return !answersForItself && certificate.notBefore <= producedAt
            && producedAt <= certificate.notAfter
            && self.checker.mayClear(responder: certificate, below: self.index, &memo)
    }

    /// Returns `true` if a key is strong enough. The key of an anchor without a certificate was not checked with the path.
    private func isStrong(_ key: PublicKeySource) -> Bool {
        let checks = PathChecks(path: self.checker.path, request: self.request)
        return checks.isStrong(key.info)
    }
}

/// The responses about one certificate, and the status by those that were examined.
struct OCSPReview {
    /// A certificate that the issuer may have made for OCSP responders.
    struct Delegate {
        let certificate: CertificateView
        let identity: ResponderIdentity
        /// `true` if the certificate names another key than the issuer's as its own issuer's.
        let namesAnotherKey: Bool
    }

    struct Item {
        let evidence: OCSPEvidence
        let reading: OCSPReading
        /// `true` if the response names the issuer itself as its signer.
        let isIssuers: Bool
        /// The delegates that the response names (RFC 6960 §4.2.2.3), in the order in which they are tried.
        let named: [Delegate]
        /// The other delegates in the response.
        let others: [Delegate]
        fileprivate let responder: Responder

        /// `true` if the response names an available signer.
        var isNamed: Bool { self.isIssuers || !self.named.isEmpty }

        var signers: DocumentSigners {
            self.isIssuers || self.named.contains { !$0.namesAnotherKey } ? .issuers : .strangers
        }
    }

    /// The delegates among the supplied certificates.
    let supplied: [Delegate]
    private var suppliedByResponder: [Responder: [Delegate]] = [:]
    fileprivate(set) var items: [Item] = []
    var isGood = false
    var revocations: [(RevocationReason, Timestamp)] = []

    init(supplied: [Delegate] = []) {
        self.supplied = supplied
        for delegate in supplied {
            for responder in delegate.identity.responders {
                self.suppliedByResponder[responder, default: []].append(delegate)
            }
        }
    }

    fileprivate func supplied(namedBy responder: Responder) -> [Delegate] { self.suppliedByResponder[responder] ?? [] }

    var status: RevocationStatus {
        RevocationStatus.first(of: self.revocations)
            ?? (self.isGood ? .good : .unknown(self.items.isEmpty ? .noInformation : .notUsable))
    }
}

/// The identity of a responder in a `responderID`: its name, or the SHA-1 digest of its key (RFC 6960 §4.2.2.3).
struct ResponderIdentity {
    private let name: Int
    private let keyDigest: [UInt8]

    init(_ name: NameSource, in owner: CertificateView, _ key: PublicKeySource, _ names: inout NameTable) {
        self.name = names.number(of: name, in: owner)
        self.keyDigest = Array(Insecure.SHA1.hash(data: key.bytes[key.info.key]))
    }

    /// The values by which a response may name it.
    fileprivate var responders: [Responder] { [.name(self.name), .key(self.keyDigest)] }

    fileprivate static func == (left: ResponderIdentity, right: Responder) -> Bool {
        switch right {
        case .name(let number): left.name == number
        case .key(let digest): left.keyDigest == digest
        case .unreadable: false
        }
    }

    fileprivate static func != (left: ResponderIdentity, right: Responder) -> Bool { !(left == right) }
}

/// The signer that a response names.
private enum Responder: Hashable {
    case name(Int)
    case key([UInt8])
    case unreadable
}

extension OCSPResponse {
    fileprivate func responder(_ names: inout NameTable) -> Responder {
        let bytes = self.bytes
        var reader = DERReader(self.fields.responder, in: bytes.span)
        guard let element = try? reader.next(in: bytes.span), reader.isAtEnd else { return .unreadable }
        switch element.tag {
        case .sequence:
            return .name(names.number(of: NameSource(bytes: bytes, range: element.content, hash: 0), in: self))
        case .octetString: return .key(bytes[element.content])
        default: return .unreadable
        }
    }
}
