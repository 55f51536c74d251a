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
    /// How many more documents, and certificates of their signers, are not counted as fruitless. A stranger can collect
    /// genuine ones: an authority answers every day.
    private var remainingPaidDocuments = 16
    /// What proven keys may still pay for verifications that fail, in units of ``SignatureCost``.
    private var remainingPaybacks = SignatureCost.maximumPaybacks
    /// The pairs of a document and a possible signer that may still be looked at.
    private var remainingPairs: Int
    /// The pairs that were looked at, for tests.
    private(set) var pairs = 0
    /// Keys that are proven.
    private var proven: [PublicKeySource] = []
    /// The cost of the path whose signatures were last found to hold. An answer may rest on it, so that it is not counted as
    /// fruitless; once another path holds, it is.
    private var pathCost = 0
    /// What was spent, in units of ``SignatureCost``.
    private(set) var cost = 0
    /// The number of signatures of certificates that do not hold.
    private(set) var failures = 0
    /// Whether a signature could not be verified, or a list not be read, for want of budget since this was last cleared.
    var hasRunOut = false
    /// Whether a list or response that says “revoked”, or may say so, was not verified or read for want of budget.
    var hasUntriedRevocation = false
    /// The names of lists and of certificates that may sign them.
    var names = NameTable()
    /// What lists and responses were found to say.
    var findings: RevocationFindings

    private struct CertificateEntry {
        let certificate: CertificateView
        let key: PublicKeySource
        let outcome: SignatureOutcome
        let cost: Int

        /// Whether the outcome is that of another certificate, too: one with the same signed octets as a certificate whose
        /// signature holds. Its own signature adds nothing: there are several ways to write one, and anyone can.
        func answers(for other: CertificateView) -> Bool {
            if self.certificate === other { return true }
            return self.outcome == .valid && other.fields.signatureAlgorithmsAgree
                && self.certificate.hasSameSignedPart(as: other)
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
        self.remainingPairs = Self.pairs(octets: octets)
        self.findings = RevocationFindings(octets: octets)
        self.cache = cache
        self.certificates.reserveCapacity(Self.usualCount)
        self.proven.reserveCapacity(Self.usualCount)
    }

    /// The certificates and keys of most evaluations.
    private static let usualCount = 4

    /// Whether a key made the signature of a certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - key: The key.
    ///   - credit: The cost of what was proven above the certificate on the path in hand; `nil` where nothing is proven. It
    ///     counts as fruitless once the path fails.
    ///   - mayOverrun: Whether the last verification may cost up to twice what there is.
    mutating func outcome(
        of certificate: CertificateView, signedWith key: PublicKeySource, credit: Int? = nil, mayOverrun: Bool = false
    ) -> SignatureOutcome {
        self.lastCost = 0
        if let entry = self.entry(of: certificate, signedWith: key) { return entry.outcome }
        let outcome = self.verify(certificate, key, credit: credit, mayOverrun: mayOverrun || credit != nil)
        guard outcome != .budgetExhausted else { return outcome }
        if outcome != .valid { self.failures += 1 }
        self.certificates.append(
            CertificateEntry(certificate: certificate, key: key, outcome: outcome, cost: self.lastCost))
        return outcome
    }

    /// What verifying the signature of a certificate has cost; nothing where a cache knew it.
    func cost(of certificate: CertificateView, signedWith key: PublicKeySource) -> Int {
        self.entry(of: certificate, signedWith: key)?.cost ?? 0
    }

    /// The list is searched from its end: it is as long as the budget at most, and usually two or three.
    private func entry(of certificate: CertificateView, signedWith key: PublicKeySource) -> CertificateEntry? {
        self.certificates.last { $0.answers(for: certificate) && $0.key.isSameKey(as: key) }
    }

    /// Whether a key is known not to have made the signature of a certificate.
    func isKnownToFail(_ certificate: CertificateView, signedWith key: PublicKeySource) -> Bool {
        self.failures > 0
            && self.certificates.contains {
                $0.outcome != .valid && $0.certificate === certificate && $0.key.isSameKey(as: key)
            }
    }

    private mutating func verify(
        _ certificate: CertificateView, _ key: PublicKeySource, credit: Int?, mayOverrun: Bool
    ) -> SignatureOutcome {
        if let cache, cache.remembers(certificate), cache.contains(certificate, signedBy: key) { return .valid }
        let fields = certificate.fields
        let signature = certificate.bytes.slice(fields.signature)
        guard fields.signatureAlgorithmsAgree else { return .algorithmMismatch }
        if SignatureVerifier.isRuledOut(signature, fields.signatureAlgorithm, with: key.info) { return .invalid }
        let cost = SignatureCost.verification(with: key.info, octets: certificate.bytes.count)
        guard self.spend(cost, credit: credit.map { $0 - self.pathCost } ?? 0, mayOverrun: mayOverrun) else {
            return .budgetExhausted
        }
        return SignatureVerifier.verify(certificate, with: key)
    }

    /// Prepares for an audit of the evidence, which uses the signatures that the evaluation verified.
    mutating func beginAudit(octets: Int) {
        self.findings = RevocationFindings(octets: octets)
        // Each response is looked at by itself, for telling why it does not count.
        self.remainingPairs = 4 * Self.pairs(octets: octets)
        self.hasRunOut = false
        self.hasUntriedRevocation = false
    }

    /// Whether a key signed a revocation list.
    mutating func isSigned(_ list: CertificateList, with key: PublicKeySource) -> Bool {
        let fields = list.fields
        guard fields.signatureAlgorithmsAgree else { return false }
        if let known = self.known(list, key) { return known }
        let signature = list.bytes.slice(fields.signature)
        guard !SignatureVerifier.isRuledOut(signature, fields.signatureAlgorithm, with: key.info) else { return false }
        let message = list.bytes.slice(fields.tbsCertList)
        // A list is hashed once, whatever keys are tried on it: that costs no more than its size.
        let cost = SignatureCost.verification(with: key.info, octets: 0)
        guard self.spend(cost, mayOverrun: self.isProven(key)) else { return false }
        let digest = self.findings.digest(of: list)
        let outcome = SignatureVerifier.verify(
            signature: signature, of: message, algorithm: fields.signatureAlgorithm,
            with: key, digest: digest)
        return self.note(list, key, isValid: outcome == .valid)
    }

    /// Whether a key signed an OCSP response.
    mutating func isSigned(_ response: OCSPResponse, with key: PublicKeySource) -> Bool {
        if let known = self.known(response, key) { return known }
        let fields = response.fields
        let signature = response.bytes.slice(fields.signature)
        guard !SignatureVerifier.isRuledOut(signature, fields.signatureAlgorithm, with: key.info) else { return false }
        let cost = SignatureCost.verification(with: key.info, octets: response.bytes.count)
        guard self.spend(cost, mayOverrun: self.isProven(key)) else { return false }
        let outcome = SignatureVerifier.verify(
            signature: signature, of: response.bytes.slice(fields.tbsResponseData),
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
        guard let entry = self.findings.entry(for: certificate, on: list, &self.names) else {
            self.hasRunOut = true
            self.hasUntriedRevocation = true
            return .unreadable
        }
        return entry
    }

    /// Takes one verification out of the budget; `false`, and nothing is taken, when not enough is left.
    ///
    /// - Parameters:
    ///   - cost: The cost of the verification.
    ///   - credit: What the answer will rest on if this verification succeeds, and is not fruitless then.
    ///   - mayOverrun: Whether the last verification may cost up to twice what there is. With a key that is proven it may:
    ///     one that fails is the last one.
    private mutating func spend(_ cost: Int, credit: Int = 0, mayOverrun: Bool = false) -> Bool {
        guard self.remaining > 0, self.remainingCost + credit >= (mayOverrun ? (cost + 1) / 2 : cost) else {
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

    /// Does what is allowed to fail for want of budget.
    mutating func withoutWant<Answer>(_ work: (inout SignatureMemo) -> Answer) -> Answer {
        let hadRunOut = self.hasRunOut
        defer { self.hasRunOut = hadRunOut }
        return work(&self)
    }

    /// Finds out which key stands behind a document that says “revoked”. A want of budget then is no doubt but a refusal: a
    /// server that sends look-alikes until nothing is left for its revocation is not let through.
    mutating func whileRevoking<Answer>(_ work: (inout SignatureMemo) -> Answer?) -> Answer? {
        let hadRunOut = self.hasRunOut
        self.hasRunOut = false
        let answer = work(&self)
        if answer == nil, self.hasRunOut { self.hasUntriedRevocation = true }
        self.hasRunOut = self.hasRunOut || hadRunOut
        return answer
    }

    /// Verifies the signature of an OCSP delegate's certificate. As with documents, a proven key may overrun the
    /// budget once.
    mutating func isSigned(delegate: CertificateView, with key: PublicKeySource) -> Bool {
        self.outcome(of: delegate, signedWith: key, mayOverrun: self.isProven(key)) == .valid
    }

    /// Takes the key of an OCSP delegate for proven, whose certificate a proven key signed.
    mutating func prove(delegate: CertificateView, signedWith key: PublicKeySource) {
        let delegateKey = PublicKeySource(delegate)
        guard !self.isProven(delegateKey), Budget.spend(&self.remainingPaidDocuments) else { return }
        self.remainingCost += self.cost(of: delegate, signedWith: key)
        self.prove(delegateKey)
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

    /// Takes the key of an anchor for proven. Of several anchors of one name, each but the first pays for one verification
    /// that fails: they are the caller's, and no stranger adds to them.
    mutating func prove(anchorKey key: PublicKeySource) {
        guard !self.isProven(key) else { return }
        if !self.proven.isEmpty { self.remainingCost += SignatureCost.verification(with: key.info, octets: 0) }
        self.proven.append(key)
    }

    /// Takes a key for proven that a certificate below an anchor certifies. It pays for one verification that fails, as
    /// long as all keys together have not paid too much: an authority may have certified many.
    mutating func prove(_ key: PublicKeySource) {
        guard !self.isProven(key) else { return }
        self.proven.append(key)
        let payback = min(self.remainingPaybacks, SignatureCost.verification(with: key.info, octets: 0))
        self.remainingPaybacks -= payback
        self.remainingCost += payback
    }

    /// Takes note that all signatures of a path hold, which cost so much.
    mutating func hold(pathCost cost: Int) {
        self.remainingCost += cost - self.pathCost
        self.pathCost = cost
    }

    /// Judges the path of a signer in the middle of another path, whose cost stays what an answer may rest on.
    mutating func beginSigner() -> Int {
        defer { self.pathCost = 0 }
        return self.pathCost
    }

    /// Ends what ``beginSigner()`` began. What the signer's path has cost is paid as its documents are.
    mutating func endSigner(_ outer: Int) {
        if self.pathCost > 0, !Budget.spend(&self.remainingPaidDocuments) { self.remainingCost -= self.pathCost }
        self.pathCost = outer
    }

    private func isProven(_ key: PublicKeySource) -> Bool { self.proven.contains { $0.isSameKey(as: key) } }

    /// Takes one pair of a document and a possible signer out of the budget; `false` when none are left. The pairs grow with
    /// the product of what a stranger sends, and each costs a look-up where no verification is left.
    mutating func spendPair() -> Bool {
        guard Budget.spend(&self.remainingPairs) else {
            self.hasRunOut = true
            return false
        }
        self.pairs += 1
        return true
    }

    /// Thirty lists of thirty generations of one authority are nine hundred pairs.
    private static func pairs(octets: Int) -> Int { 1_000 + min(max(0, octets), 1 << 40) / 500 }

    /// Whether verifications are left, however dear.
    var hasVerificationsLeft: Bool { self.remaining > 0 }
}
