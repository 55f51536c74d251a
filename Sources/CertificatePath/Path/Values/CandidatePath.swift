//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A path of the builder. The names chain from the leaf upwards, and it ends at an anchor or at a dead end.
struct CandidatePath {
    /// The leaf first. If the anchor is a certificate, it is the last.
    let certificates: [CertificateView]
    let anchor: TrustAnchor?
    /// The reason for the dead end, if the path reaches no anchor.
    let deadEnd: DeadEnd?
    /// `true` if the path passes through the certificate of another anchor.
    var passesAnchor = false

    enum DeadEnd: Hashable {
        case untrustedRoot
        case unknownIssuer
        /// The path has the maximum length, ``Budget/pathLength``.
        case tooLong
        /// There are issuers with the right name, but none of their keys made the signature of the last certificate.
        case signature(SignatureOutcome, issuer: PublicKeyKind, bits: Int)
    }

    var endsWithAnchorCertificate: Bool { self.anchor?.certificate != nil }

    /// The certificates that RFC 5280 §6.1 processes: all but the anchor's, beginning with the one that the anchor issued.
    var processed: ReversedCollection<ArraySlice<CertificateView>> {
        self.certificates.dropLast(self.endsWithAnchorCertificate ? 1 : 0).reversed()
    }

    /// Returns `true` if both paths consist of the same objects and end at an anchor certificate of the same class.
    func isSame(as other: CandidatePath) -> Bool {
        guard self.endsWithAnchorCertificate, other.endsWithAnchorCertificate,
            self.anchor?.anchorClass == other.anchor?.anchorClass,
            self.certificates.count == other.certificates.count
        else { return false }
        return zip(self.certificates, other.certificates).allSatisfy { $0 === $1 }
    }

    /// Returns the key that signed the certificate at an index, or `nil` for the last certificate of a path.
    func issuerKey(at index: Int) -> PublicKeySource? {
        if index + 1 < self.certificates.count { return PublicKeySource(self.certificates[index + 1]) }
        return self.endsWithAnchorCertificate ? nil : self.anchor?.key
    }
}

extension CandidatePath {
    /// Returns the value of a path before its evaluation, after SecCertificateServer.c `SecCertificatePathVCScore`.
    /// The best acceptable path is used. If no path is acceptable, the best one is reported.
    func score(at time: Timestamp) -> Int {
        var score = 0
        if self.anchor != nil { score += 10_000 }
        // A finished path should be short, and an unfinished one long.
        let isFinished = self.certificates.last?.isSelfIssued ?? false
        score += isFinished ? 1_000 - self.certificates.count : self.certificates.count
        if self.certificates.allSatisfy({ $0.notBefore <= time && time <= $0.notAfter }) { score += 100 }
        let belowAnchor = self.certificates.dropLast(isFinished ? 1 : 0)
        if belowAnchor.allSatisfy({ !$0.signatureAlgorithm.digest.isBroken && $0.signatureAlgorithm.digest != .sha1 }) {
            score += 10
        }
        if self.certificates.allSatisfy(\.hasStrongKeyForScore) { score += 10 }
        return score
    }
}

extension CertificateView {
    /// `true` if the certificate is self-issued and does not name another key as its issuer's.
    var namesItselfAsIssuer: Bool { self.isSelfIssued && self.keyIdentifierMatches(issuer: self) != false }

    fileprivate var hasStrongKeyForScore: Bool {
        switch self.publicKeyKind {
        case .rsa: self.publicKeyBits >= 2_048
        case .p224, .p256, .p384, .p521: true
        case .p192, .otherCurve, .explicitCurve, .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: false
        }
    }
}

extension CandidatePath {
    /// Orders paths of one score independently of the order of their certificates in the input.
    fileprivate func precedes(_ other: CandidatePath) -> Bool {
        if self.certificates.count != other.certificates.count {
            return self.certificates.count < other.certificates.count
        }
        for (left, right) in zip(self.certificates, other.certificates) where left != right {
            return left.precedes(right)
        }
        switch (self.anchor?.certificate, other.anchor?.certificate) {
        case (nil, nil):
            return (self.anchor?.key.bytes ?? []).lexicographicallyPrecedes(other.anchor?.key.bytes ?? [])
        case (let left, _): return left != nil
        }
    }

    /// Returns `true` if the path is tried before another. A path that ends at its first anchor comes first, as
    /// Apple's do, then the one with fewer unlikely signatures, and then the better one.
    func isTriedBefore(_ other: CandidatePath, at time: Timestamp) -> Bool {
        if self.passesAnchor != other.passesAnchor { return other.passesAnchor }
        let (own, others) = (self.unlikelySignatures, other.unlikelySignatures)
        return own != others ? own < others : self.isBetter(than: other, at: time)
    }

    /// The number of self-issued certificates that name no other key and are not the last. If an authority has several
    /// keys, nearly every such certificate is signed with its own key, and verifying it with another is useless.
    private var unlikelySignatures: Int {
        self.certificates.dropLast().count {
            $0.namesItselfAsIssuer
        }
    }

    func isBetter(than other: CandidatePath, at time: Timestamp) -> Bool {
        let (own, others) = (self.score(at: time), other.score(at: time))
        return own != others ? own > others : self.precedes(other)
    }
}

/// The best few of many paths, the best first. Each is scored once.
struct RankedPaths {
    private var entries: [(score: Int, path: CandidatePath)] = []

    private static let maximumCount = 8

    var paths: [CandidatePath] { self.entries.map(\.path) }
    var first: CandidatePath? { self.entries.first?.path }
    var count: Int { self.entries.count }

    mutating func insert(_ path: CandidatePath, at time: Timestamp) {
        let score = path.score(at: time)
        if self.entries.count == Self.maximumCount, let worst = self.entries.last {
            guard score > worst.score || (score == worst.score && path.precedes(worst.path)) else { return }
            self.entries.removeLast()
        }
        let place = self.entries.firstIndex { entry in
            score != entry.score ? score > entry.score : path.precedes(entry.path)
        }
        self.entries.insert((score, path), at: place ?? self.entries.count)
    }

    mutating func removeAll() { self.entries.removeAll() }
}
