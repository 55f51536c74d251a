//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The signatures that one evaluation has verified, so that it verifies none twice, and the budget for them.
///
/// An entry is found by the signed bytes and the key: however many cross-signed certificates carry one key, it costs one
/// verification for each certificate below them.
struct SignatureMemo {
    private var certificates: [CertificateEntry] = []
    private var documents: [DocumentEntry] = []
    let cache: SignatureCache?
    /// What is left of ``Budget/signatures``.
    private var remaining: Int
    /// What is left of ``Budget/fruitlessSignatures``, in units of ``SignatureCost``.
    private(set) var remainingCost: Int
    /// The cost of the last verification; zero when the memo or the cache knew the answer.
    private var lastCost = 0
    private(set) var verified = 0
    /// What the searches for paths of list signers have cost, in steps.
    private(set) var signerSteps = 0
    /// How many more documents, and certificates of those who sign them, a proven key pays for. A stranger can collect
    /// genuine ones: an authority answers every day.
    private var remainingPaidDocuments = 16
    /// Keys that are proven, and the certificates below anchors that prove them.
    private var proven: [ProvenKey] = []
    /// What was spent, in units of ``SignatureCost``.
    private(set) var cost = 0
    /// The number of signatures of certificates that do not hold.
    private(set) var failures = 0
    /// Whether a signature could not be verified, or a list not be read, for want of budget since this was last cleared.
    var hasRunOut = false
    /// The names of lists and of certificates that may sign them.
    var names = NameTable()
    /// What lists and responses were found to say.
    var findings: RevocationFindings

    private struct CertificateEntry {
        let certificate: CertificateView
        let key: PublicKeySource
        let outcome: SignatureOutcome

        /// Whether the outcome is that of another certificate, too: one with the same signed octets as a certificate whose
        /// signature holds. Its own signature adds nothing: there are several ways to write one, and anyone can.
        func answers(for other: CertificateView) -> Bool {
            if self.certificate === other { return true }
            return self.outcome == .valid && other.fields.signatureAlgorithmsAgree
                && self.certificate.hasSameSignedPart(as: other)
        }
    }

    private struct ProvenKey {
        let key: PublicKeySource
        let certificate: CertificateView?

        /// Whether a certificate is the one that proves the key, or another writing of it.
        func proves(_ other: CertificateView) -> Bool {
            guard let certificate else { return false }
            return certificate === other || certificate.hasSameSignedPart(as: other)
        }
    }

    /// A revocation list or an OCSP response.
    private struct DocumentEntry {
        let document: any AnyObject & Sendable
        let key: PublicKeySource
        let isValid: Bool

        /// Whether the answer is that of another document, too: a copy of a genuine list, whose signed octets name the
        /// algorithm. Those of a response do not, and the algorithm decides what the response is worth.
        func answers(for other: any AnyObject & Sendable) -> Bool {
            if self.document === other { return true }
            guard self.isValid, let list = self.document as? CertificateList, let other = other as? CertificateList
            else {
                return false
            }
            return equalBytes(list.fields.tbsCertList, in: list.bytes, other.fields.tbsCertList, in: other.bytes)
        }
    }

    /// - Parameters:
    ///   - budget: The work allowed.
    ///   - octets: The size of everything that was supplied. Each kilobyte may cost a little, so that hashing what is
    ///     large, and honest, stays within the budget.
    ///   - cache: Signatures verified before.
    init(_ budget: Budget, octets: Int, cache: SignatureCache?) {
        self.remaining = budget.signatures
        self.remainingCost = SignatureCost.limit(of: budget, octets: octets)
        self.findings = RevocationFindings(octets: octets)
        self.cache = cache
        self.certificates.reserveCapacity(Self.usualCount)
        self.proven.reserveCapacity(Self.usualCount)
    }

    /// The certificates and keys of most evaluations.
    private static let usualCount = 4

    /// Whether a key made the signature of a certificate. The list is searched from its end: it is as long as the budget
    /// at most, and usually two or three.
    mutating func outcome(
        of certificate: CertificateView, signedWith key: PublicKeySource, mayOverrun: Bool = false
    ) -> SignatureOutcome {
        self.lastCost = 0
        for entry in self.certificates.reversed()
        where entry.answers(for: certificate) && entry.key.isSameKey(as: key) {
            return entry.outcome
        }
        let outcome = self.verify(certificate, key, mayOverrun: mayOverrun)
        guard outcome != .budgetExhausted else { return outcome }
        if outcome != .valid { self.failures += 1 }
        self.certificates.append(CertificateEntry(certificate: certificate, key: key, outcome: outcome))
        return outcome
    }

    /// Whether a key is known not to have made the signature of a certificate.
    func isKnownToFail(_ certificate: CertificateView, signedWith key: PublicKeySource) -> Bool {
        self.failures > 0
            && self.certificates.contains {
                $0.outcome != .valid && $0.certificate === certificate && $0.key.isSameKey(as: key)
            }
    }

    private mutating func verify(
        _ certificate: CertificateView, _ key: PublicKeySource, mayOverrun: Bool
    ) -> SignatureOutcome {
        if let cache, cache.remembers(certificate), cache.contains(certificate, signedBy: key) { return .valid }
        let cost = SignatureCost.verification(with: key.info, octets: certificate.bytes.count)
        guard self.spend(cost, mayOverrun: mayOverrun) else {
            return .budgetExhausted
        }
        return SignatureVerifier.verify(certificate, with: key)
    }

    /// Whether a key signed a revocation list.
    mutating func isSigned(_ list: CertificateList, with key: PublicKeySource) -> Bool {
        let fields = list.fields
        guard fields.signatureAlgorithmsAgree else { return false }
        if let known = self.known(list, key) { return known }
        let message = list.bytes.slice(fields.tbsCertList)
        // A list is hashed once, whatever keys are tried on it: that costs no more than its size.
        let cost = SignatureCost.verification(with: key.info, octets: 0)
        guard self.spend(cost, mayOverrun: self.isProven(key)) else { return false }
        let digest = self.findings.digest(of: list)
        let outcome = SignatureVerifier.verify(
            signature: list.bytes.slice(fields.signature), of: message, algorithm: fields.signatureAlgorithm,
            with: key, digest: digest)
        return self.note(list, key, isValid: outcome == .valid)
    }

    /// Whether a key signed an OCSP response.
    mutating func isSigned(_ response: OCSPResponse, with key: PublicKeySource) -> Bool {
        if let known = self.known(response, key) { return known }
        let fields = response.fields
        let cost = SignatureCost.verification(with: key.info, octets: response.bytes.count)
        guard self.spend(cost, mayOverrun: self.isProven(key)) else { return false }
        let outcome = SignatureVerifier.verify(
            signature: response.bytes.slice(fields.signature), of: response.bytes.slice(fields.tbsResponseData),
            algorithm: fields.signatureAlgorithm, with: key)
        return self.note(response, key, isValid: outcome == .valid)
    }

    /// A list or response of a proven key costs nothing of what is kept for signatures that lead nowhere.
    private mutating func note(_ document: any AnyObject & Sendable, _ key: PublicKeySource, isValid: Bool) -> Bool {
        self.documents.append(DocumentEntry(document: document, key: key, isValid: isValid))
        if isValid, self.isProven(key), Budget.spend(&self.remainingPaidDocuments) {
            self.remainingCost += self.lastCost
        }
        return isValid
    }

    private func known(_ document: any AnyObject & Sendable, _ key: PublicKeySource) -> Bool? {
        self.documents.last { $0.answers(for: document) && $0.key.isSameKey(as: key) }?.isValid
    }

    /// What a list says about a certificate. A list that cannot be read for want of budget is a budget that has run out.
    mutating func entry(for certificate: CertificateView, on list: CertificateList) -> CertificateListEntry {
        guard let entry = self.findings.entry(for: certificate, on: list) else {
            self.hasRunOut = true
            return .unreadable
        }
        return entry
    }

    /// Takes one verification out of the budget; `false`, and nothing is taken, when not enough is left.
    ///
    /// - Parameter mayOverrun: Whether the last verification may cost up to twice what there is. With a key that is proven
    ///   it may: a certificate that it proves pays it back.
    private mutating func spend(_ cost: Int, mayOverrun: Bool = false) -> Bool {
        guard self.remaining > 0, self.remainingCost >= (mayOverrun ? (cost + 1) / 2 : cost) else {
            self.hasRunOut = true
            return false
        }
        self.remaining -= 1
        self.remainingCost -= cost
        self.lastCost = cost
        self.cost += cost
        self.verified += 1
        return true
    }

    /// Takes the key of an OCSP delegate for proven, whose certificate a proven key signed.
    mutating func prove(delegate: CertificateView, signedWith key: PublicKeySource) {
        guard Budget.spend(&self.remainingPaidDocuments) else { return }
        self.prove(PublicKeySource(delegate), signed: (delegate, key))
    }

    /// The most steps of all searches for paths of list signers, of one search, and what a search costs at least. An honest
    /// signer's path is about as long as the certificate's own; the certificates that may be signers are a stranger's.
    private static let maximumSignerSteps = 1_000
    private static let maximumStepsToSigner = 100
    private static let minimumStepsToSigner = 10

    /// The steps that the search for the path of one more list signer may take; `nil` when none are left.
    mutating func stepsToSigner() -> Int? {
        let remaining = Self.maximumSignerSteps - self.signerSteps
        guard remaining > 0 else {
            self.hasRunOut = true
            return nil
        }
        return min(remaining, Self.maximumStepsToSigner)
    }

    /// Counts what a search for the path of a list signer took.
    mutating func count(stepsToSigner steps: Int) {
        self.signerSteps += max(steps, Self.minimumStepsToSigner)
    }

    /// Takes a key for proven: an anchor's, or one that a certificate below an anchor certifies.
    ///
    /// A proven key pays for one verification that fails, and its certificate for what was spent on it: a stranger can make
    /// neither. Each pays once: a stranger can write one signature in several ways.
    mutating func prove(_ key: PublicKeySource, signed: (CertificateView, PublicKeySource)?) {
        let isKnown = self.isProven(key)
        let isPaid = signed.map { signed in self.proven.contains { $0.proves(signed.0) } } ?? false
        guard !isKnown || (signed != nil && !isPaid) else { return }
        self.proven.append(ProvenKey(key: key, certificate: signed?.0))
        if !isKnown { self.remainingCost += SignatureCost.verification(with: key.info, octets: 0) }
        if let (certificate, issuer) = signed, !isPaid {
            self.remainingCost += SignatureCost.verification(with: issuer.info, octets: certificate.bytes.count)
        }
    }

    private func isProven(_ key: PublicKeySource) -> Bool { self.proven.contains { $0.key.isSameKey(as: key) } }

    /// Whether verifications are left, however dear.
    var hasVerificationsLeft: Bool { self.remaining > 0 }
}
