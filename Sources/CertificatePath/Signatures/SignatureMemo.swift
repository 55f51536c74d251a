//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The signatures that one evaluation has verified, so that it verifies none twice, with the budget for them.
///
/// An entry is found by the signed bytes and the key. If many cross-signed certificates carry one key, it costs one
/// verification for each certificate below them.
struct SignatureMemo {
    private var certificates: [CertificateEntry] = []
    private var documents: [DocumentEntry] = []
    let cache: SignatureCache?
    /// The rest of ``Budget/signatures``.
    private var remaining: Int
    /// The rest of ``Budget/fruitlessSignatures``, in units of ``SignatureCost``.
    private(set) var remainingCost: Int
    /// The cost of the last verification, or zero if the memo or the cache had the result.
    private var lastCost = 0
    private(set) var verified = 0
    /// The steps of the path searches for signers of lists.
    private(set) var signerSteps = 0
    /// The cost of the valid signatures on the document that is examined and on its signer's path, which does not count as
    /// fruitless if the document decides. `nil` outside of ``whileExamining(_:)``.
    private var documentCost: Int?
    /// `true` after the evaluation. A document that is examined again for a report decides nothing.
    private var isAudit = false
    /// The cost that proven keys may still add for failed verifications, in units of ``SignatureCost``.
    private var remainingPaybacks = SignatureCost.maximumPaybacks
    /// The pairs of a document and a possible signer that may still be tried.
    private var remainingPairs: Int
    /// The pairs that were tried, for tests.
    private(set) var pairs = 0
    /// The keys of anchors, and the keys that proven keys have certified.
    private var proven: [PublicKeySource] = []
    /// The cost of the last path with only valid signatures. The verdict may rest on it, so it is not counted as
    /// fruitless until another path is valid.
    private var pathCost = 0
    /// The total cost, in units of ``SignatureCost``.
    private(set) var cost = 0
    /// The number of invalid signatures on certificates.
    private(set) var failures = 0
    /// `true` if the budget prevented a verification or the reading of a list, since this was last cleared.
    var hasRunOut = false
    /// `true` if the budget prevented the verification or reading of a list or response that says "revoked" or may say so.
    var hasUntriedRevocation = false
    /// The names of lists and of certificates that may sign them.
    var names = NameTable()
    /// The parsed contents of lists and responses.
    var findings: RevocationFindings

    private struct CertificateEntry {
        let certificate: CertificateView
        let key: PublicKeySource
        let outcome: SignatureOutcome
        let cost: Int

        /// Returns `true` if the outcome also holds for another certificate: one with the same signed octets as a
        /// certificate with a valid signature. Its own signature adds nothing, because a signature has several valid
        /// encodings that an attacker can make.
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

        /// Returns `true` if the result also holds for another document: a copy of a genuine list. Its signed octets
        /// name the algorithm. The signed octets of a response do not, and the strength of the response depends on the
        /// algorithm.
        func answers(for other: any AnyObject & Sendable) -> Bool {
            if self.document === other { return true }
            guard self.isValid, let list = self.document as? CertificateList, let other = other as? CertificateList
            else {
                return false
            }
            return equalBytes(list.fields.tbsCertList, in: list.bytes, other.fields.tbsCertList, in: other.bytes)
        }
    }

    /// Creates a memo.
    ///
    /// - Parameters:
    ///   - budget: The allowed work.
    ///   - octets: The size of the whole input. Each kilobyte allows a little more cost, so that hashing large but
    ///     honest input stays within the budget.
    ///   - cache: The signatures that earlier evaluations verified.
    init(_ budget: Budget, octets: Int, cache: SignatureCache?) {
        self.remaining = budget.signatures
        self.remainingCost = SignatureCost.limit(of: budget, octets: octets)
        self.remainingPairs = Self.pairs(octets: octets)
        self.findings = RevocationFindings(octets: octets)
        self.cache = cache
        self.certificates.reserveCapacity(Self.usualCount)
        self.proven.reserveCapacity(Self.usualCount)
    }

    /// The number of certificates and keys in most evaluations.
    private static let usualCount = 4

    /// Verifies the signature of a certificate with a key, unless the result is known.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - key: The key.
    ///   - credit: The cost of the proven signatures above the certificate on the current path, or `nil` if none is
    ///     proven. It counts as fruitless once the path fails.
    ///   - mayOverrun: `true` if the last verification may cost up to twice the remaining budget.
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

    /// Returns the cost of verifying a certificate's signature, or zero if a cache had the result.
    func cost(of certificate: CertificateView, signedWith key: PublicKeySource) -> Int {
        self.entry(of: certificate, signedWith: key)?.cost ?? 0
    }

    /// Returns the entry for a certificate and a key. The list is at most as long as the budget and usually has two or
    /// three entries.
    private func entry(of certificate: CertificateView, signedWith key: PublicKeySource) -> CertificateEntry? {
        self.certificates.last { $0.answers(for: certificate) && $0.key.isSameKey(as: key) }
    }

    /// Returns `true` if a key is known not to have made the signature of a certificate.
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

    /// Prepares for an audit of the evidence, which reuses the verified signatures of the evaluation.
    mutating func beginAudit(octets: Int) {
        self.findings = RevocationFindings(octets: octets)
        // The audit tries each response separately, to explain why it does not count.
        self.remainingPairs = 4 * Self.pairs(octets: octets)
        self.hasRunOut = false
        self.hasUntriedRevocation = false
        self.isAudit = true
    }

    mutating func isSigned(_ list: CertificateList, with key: PublicKeySource) -> Bool {
        let fields = list.fields
        guard fields.signatureAlgorithmsAgree else { return false }
        if let known = self.known(list, key) { return known }
        let signature = list.bytes.slice(fields.signature)
        guard !SignatureVerifier.isRuledOut(signature, fields.signatureAlgorithm, with: key.info) else { return false }
        let message = list.bytes.slice(fields.tbsCertList)
        // A list is hashed once for all keys, which costs no more than its size allows.
        let cost = SignatureCost.verification(with: key.info, octets: 0)
        guard self.spend(cost, mayOverrun: self.isProven(key)) else { return false }
        let digest = self.findings.digest(of: list)
        let outcome = SignatureVerifier.verify(
            signature: signature, of: message, algorithm: fields.signatureAlgorithm,
            with: key, digest: digest)
        return self.note(list, key, isValid: outcome == .valid)
    }

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

    /// Records the result for a list or response. While a document of a proven key is examined, it does not count as
    /// fruitless.
    private mutating func note(_ document: any AnyObject & Sendable, _ key: PublicKeySource, isValid: Bool) -> Bool {
        self.documents.append(DocumentEntry(document: document, key: key, isValid: isValid))
        if isValid, self.isProven(key) { self.lend(self.lastCost) }
        return isValid
    }

    /// Examines one list or response. Its cost counts as fruitless unless it decides the status of a certificate. An attacker
    /// can collect any number of genuine documents, because an authority signs new ones every day.
    ///
    /// - Parameter work: The examination, which returns `true` if the document decides.
    mutating func whileExamining(_ work: (inout SignatureMemo) -> Bool) {
        // The status of a signer is examined within the examination of its document, and is of use only if that decides.
        let outer = self.documentCost
        self.documentCost = 0
        let decides = work(&self) && !self.isAudit
        let lent = self.documentCost ?? 0
        if !decides { self.remainingCost -= lent }
        self.documentCost = outer.map { $0 + (decides ? lent : 0) }
    }

    /// Does not count a cost as fruitless for as long as the document is examined.
    private mutating func lend(_ cost: Int) {
        guard let documentCost else { return }
        self.documentCost = documentCost + cost
        self.remainingCost += cost
    }

    private func known(_ document: any AnyObject & Sendable, _ key: PublicKeySource) -> Bool? {
        self.documents.last { $0.answers(for: document) && $0.key.isSameKey(as: key) }?.isValid
    }

    /// Returns the entry of a list about a certificate. A list that the budget does not allow to read marks the budget
    /// as exhausted.
    mutating func entry(for certificate: CertificateView, on list: CertificateList) -> CertificateListEntry {
        guard let entry = self.findings.entry(for: certificate, on: list, &self.names) else {
            self.hasRunOut = true
            self.hasUntriedRevocation = true
            return .unreadable
        }
        return entry
    }

    /// Takes one verification from the budget. Returns `false` and takes nothing if the remaining budget is too small.
    ///
    /// - Parameters:
    ///   - cost: The cost of the verification.
    ///   - credit: The cost of the signatures that the verdict will rest on if this verification succeeds. They are
    ///     not fruitless then.
    ///   - mayOverrun: `true` if the last verification may cost up to twice the remaining budget. A proven key may do
    ///     so, because a failed verification is then the last one.
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

    /// Runs work that may exceed the budget without marking it as exhausted.
    mutating func withoutWant<Answer>(_ work: (inout SignatureMemo) -> Answer) -> Answer {
        let hadRunOut = self.hasRunOut
        defer { self.hasRunOut = hadRunOut }
        return work(&self)
    }

    /// Finds the signer of a document that says "revoked". An exhausted budget means a rejection here, not a doubt. A
    /// server cannot hide its revocation by sending look-alikes until the budget is exhausted.
    mutating func whileRevoking<Answer>(_ work: (inout SignatureMemo) -> Answer?) -> Answer? {
        let hadRunOut = self.hasRunOut
        self.hasRunOut = false
        let answer = work(&self)
        if answer == nil, self.hasRunOut { self.hasUntriedRevocation = true }
        self.hasRunOut = self.hasRunOut || hadRunOut
        return answer
    }

    /// Verifies the signature of an OCSP delegate's certificate. As with documents, a proven key may overrun the budget once.
    mutating func isSigned(delegate: CertificateView, with key: PublicKeySource) -> Bool {
        self.outcome(of: delegate, signedWith: key, mayOverrun: self.isProven(key)) == .valid
    }

    /// Marks the key of an OCSP delegate as proven. A proven key must have signed its certificate.
    mutating func prove(delegate: CertificateView, signedWith key: PublicKeySource) {
        let delegateKey = PublicKeySource(delegate)
        guard !self.isProven(delegateKey) else { return }
        self.lend(self.cost(of: delegate, signedWith: key))
        self.prove(delegateKey)
    }

    /// The limit on the steps of all path searches for list signers.
    ///
    /// The next two constants are the limit for one search and its minimum cost. An honest signer's path is about as
    /// long as the certificate's own, but an attacker may supply the certificates of possible signers.
    private static let maximumSignerSteps = 1_000
    private static let maximumStepsToSigner = 100
    private static let minimumStepsToSigner = 10

    /// Returns the number of steps for the path search of one more list signer, or `nil` if none are left.
    mutating func stepsToSigner() -> Int? {
        let remaining = Self.maximumSignerSteps - self.signerSteps
        guard remaining > 0 else {
            self.hasRunOut = true
            return nil
        }
        return min(remaining, Self.maximumStepsToSigner)
    }

    /// Counts the steps of a path search for a list signer.
    mutating func count(stepsToSigner steps: Int) {
        self.signerSteps += max(steps, Self.minimumStepsToSigner)
    }

    /// Marks the key of an anchor as proven. If several anchors have one name, each after the first allows one more
    /// failed verification. They are the caller's, and an attacker cannot add to them.
    mutating func prove(anchorKey key: PublicKeySource) {
        guard !self.isProven(key) else { return }
        if !self.proven.isEmpty { self.remainingCost += SignatureCost.verification(with: key.info, octets: 0) }
        self.proven.append(key)
    }

    /// Marks a key as proven that a certificate below an anchor certifies. It allows one more failed verification,
    /// until the limit for all keys is reached, because an authority may have certified many keys.
    mutating func prove(_ key: PublicKeySource) {
        guard !self.isProven(key) else { return }
        self.proven.append(key)
        let payback = min(self.remainingPaybacks, SignatureCost.verification(with: key.info, octets: 0))
        self.remainingPaybacks -= payback
        self.remainingCost += payback
    }

    /// Records the cost of a path with only valid signatures.
    mutating func hold(pathCost cost: Int) {
        self.remainingCost += cost - self.pathCost
        self.pathCost = cost
    }

    /// Begins the evaluation of a signer's path inside that of another path. The verdict may still rest on the outer
    /// path's cost, which this returns.
    mutating func beginSigner() -> Int {
        defer { self.pathCost = 0 }
        return self.pathCost
    }

    /// Ends the evaluation that ``beginSigner()`` began. The cost of the signer's path is that of its document.
    mutating func endSigner(_ outer: Int) {
        self.remainingCost -= self.pathCost
        self.lend(self.pathCost)
        self.pathCost = outer
    }

    private func isProven(_ key: PublicKeySource) -> Bool { self.proven.contains { $0.isSameKey(as: key) } }

    /// Takes one pair of a document and a possible signer from the budget. Returns `false` if none is left. The number
    /// of pairs grows with the product of what an attacker sends, and each costs a look-up even without a
    /// verification.
    mutating func spendPair() -> Bool {
        guard Budget.spend(&self.remainingPairs) else {
            self.hasRunOut = true
            return false
        }
        self.pairs += 1
        return true
    }

    /// Returns the limit on pairs. Thirty lists of thirty generations of one authority are nine hundred pairs.
    private static func pairs(octets: Int) -> Int { 1_000 + min(max(0, octets), 1 << 40) / 500 }

    /// `true` if verifications are left, regardless of their cost.
    var hasVerificationsLeft: Bool { self.remaining > 0 }
}
