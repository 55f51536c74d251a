//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A path the builder found: names chain from the leaf upwards, and it ends at an anchor or goes no further.
struct CandidatePath {
    /// The leaf first; the anchor's certificate, if it is one, last.
    let certificates: [CertificateView]
    let anchor: TrustAnchor?
    /// Why the path goes no further, when it reaches no anchor.
    let deadEnd: DeadEnd?
    /// Whether the path goes through the certificate of an anchor below its own.
    var passesAnchor = false

    enum DeadEnd: Hashable {
        case untrustedRoot
        case unknownIssuer
        /// The search goes no further up than ``Budget/pathLength``.
        case tooLong
        /// Issuers by name exist, and none of their keys made the signature of the last certificate.
        case signature(SignatureOutcome, issuer: PublicKeyKind, bits: Int)
    }

    /// Whether the last certificate is itself the anchor.
    var endsWithAnchorCertificate: Bool { self.anchor?.certificate != nil }

    /// The certificates that RFC 5280 §6.1 processes: all but the anchor's, issued by the anchor first.
    var processed: ReversedCollection<ArraySlice<CertificateView>> {
        self.certificates.dropLast(self.endsWithAnchorCertificate ? 1 : 0).reversed()
    }

    /// Whether a path to the certificate of an anchor is made of the same objects, and ends at the same kind of anchor.
    func isSame(as other: CandidatePath) -> Bool {
        guard self.endsWithAnchorCertificate, other.endsWithAnchorCertificate,
            self.anchor?.anchorClass == other.anchor?.anchorClass,
            self.certificates.count == other.certificates.count
        else { return false }
        return zip(self.certificates, other.certificates).allSatisfy { $0 === $1 }
    }

    /// The key that signed the certificate at an index; `nil` for the last one of a path.
    func issuerKey(at index: Int) -> PublicKeySource? {
        if index + 1 < self.certificates.count { return PublicKeySource(self.certificates[index + 1]) }
        return self.endsWithAnchorCertificate ? nil : self.anchor?.key
    }
}

extension CandidatePath {
    /// The worth of a path before it is judged, after SecCertificateServer.c `SecCertificatePathVCScore`: of several
    /// acceptable paths the best is used, of several unacceptable ones the best is reported.
    func score(at time: Timestamp) -> Int {
        var score = 0
        if self.anchor != nil { score += 10_000 }
        // A finished path is better short, an unfinished one long.
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
    /// Whether the certificate is issued under its own name and names no other key of that name as its issuer's.
    var namesItselfAsIssuer: Bool { self.isSelfIssued && self.keyIdentifierMatches(issuer: self) != false }

    fileprivate var hasStrongKeyForScore: Bool {
        switch self.publicKeyKind {
        case .rsa: self.publicKeyBits >= 2_048
        case .p224, .p256, .p384, .p521: true
        case .p192, .otherCurve, .explicitCurve, .ed25519, .ed448, .unknown: false
        }
    }
}

extension CandidatePath {
    /// An order between paths of one score that is the same however their certificates were supplied.
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

    /// Whether the path is tried before another: one that ends at its first anchor, as Apple's do, then one with fewer
    /// unlikely signatures, and then the better one.
    func isTriedBefore(_ other: CandidatePath, at time: Timestamp) -> Bool {
        if self.passesAnchor != other.passesAnchor { return other.passesAnchor }
        let (own, others) = (self.unlikelySignatures, other.unlikelySignatures)
        return own != others ? own < others : self.isBetter(than: other, at: time)
    }

    /// Certificates under their own name that name no other key and are not at the top: of an authority with several keys,
    /// nearly every one is signed with its own key, and verifying it with another leads nowhere.
    private var unlikelySignatures: Int {
        self.certificates.dropLast().count {
            $0.namesItselfAsIssuer
        }
    }

    /// Whether the path is worth more than another.
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
