//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Roots that no path may lead through, by certificate and by key, even where they are trusted by hand.
public struct BlockedRoots: Sendable {
    /// SHA-256 fingerprints of the certificates.
    public let fingerprints: Set<[UInt8]>
    /// Those of the certificates that are known.
    public private(set) var certificates: [CertificateView]
    /// Where it is said that they are blocked, as a clause for a sentence: `CCADB, Apple Status, as of 2026-08-22`.
    public let source: String
    /// The certificates, to build paths to that are refused.
    package private(set) var anchors: TrustAnchorSet
    /// The SubjectPublicKeyInfo of each known certificate, in DER.
    private var keys: Set<[UInt8]> = []
    /// The last octets of each.
    private var keyEnds: Set<UInt64> = []

    /// Blocks nothing.
    public static let dangerouslyNone = BlockedRoots(fingerprints: [], source: "")

    /// Roots that are blocked.
    ///
    /// - Parameters:
    ///   - fingerprints: SHA-256 fingerprints of their certificates.
    ///   - certificates: Those of the certificates that are at hand; others than the blocked ones change nothing.
    ///   - source: Where it is said that they are blocked.
    public init(
        fingerprints: Set<[UInt8]>, certificates: some Sequence<CertificateView> = [CertificateView](), source: String
    ) {
        self.fingerprints = fingerprints
        self.source = source
        self.certificates = []
        self.anchors = TrustAnchorSet()
        if !fingerprints.isEmpty { self.resolve(in: certificates) }
    }

    /// Learns the keys of those that are among some certificates: a root that is known by its fingerprint alone may be given by
    /// hand, and cross-certified besides.
    package mutating func resolve(in certificates: some Sequence<CertificateView>) {
        guard self.certificates.count < self.fingerprints.count else { return }
        for certificate in certificates where self.fingerprints.contains(certificate.fingerprint) {
            guard !self.certificates.contains(certificate) else { continue }
            self.certificates.append(certificate)
            self.anchors.insert(TrustAnchor(certificate, anchorClass: .system))
            self.keys.insert(certificate.keyOctets)
            self.keyEnds.insert(certificate.keyEnd)
        }
    }

    /// How a certificate of a path is blocked; `nil` where it is not.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - anchor: Its anchor, with the fingerprint at hand; `nil` for other certificates.
    ///   - isLast: Whether it ends the path. Only such ones and self-issued ones are roots.
    func match(_ certificate: CertificateView, anchor: TrustAnchor?, isLast: Bool) -> BlockedRoot.Match? {
        guard !self.fingerprints.isEmpty else { return nil }
        if isLast || certificate.isSelfIssued,
            self.fingerprints.contains(anchor?.fingerprint ?? certificate.fingerprint)
        {
            return .certificate
        }
        return self.mayHaveKey(of: certificate) && self.keys.contains(certificate.keyOctets) ? .key : nil
    }

    /// Compares the last octets of a certificate's key with those of the blocked ones. Copying and hashing the whole key of each
    /// certificate would cost more than all other look-ups of a path.
    private func mayHaveKey(of certificate: CertificateView) -> Bool {
        self.keyEnds.contains(certificate.keyEnd)
    }

    /// How an anchor without a certificate is blocked.
    func match(_ key: [UInt8]) -> BlockedRoot.Match? { self.keys.contains(key) ? .key : nil }
}

extension BlockedRoots: Hashable {
    /// Whether the same certificates and keys are blocked, and the source is the same.
    public static func == (left: BlockedRoots, right: BlockedRoots) -> Bool {
        left.fingerprints == right.fingerprints && left.keys == right.keys && left.source == right.source
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.fingerprints)
        hasher.combine(self.source)
    }
}

/// That a root is blocked.
public struct BlockedRoot: Sendable, Hashable {
    /// What of it is blocked.
    public let match: Match
    /// Where that is said: ``BlockedRoots/source``.
    public let source: String

    /// What of a certificate is blocked.
    public enum Match: String, Sendable, Hashable, CaseIterable {
        /// The certificate itself.
        case certificate
        /// Its key, which is that of a blocked root.
        case key
    }
}

extension TrustAnchor {
    /// The SubjectPublicKeyInfo in DER; `nil` for a certificate, which is on the path itself.
    var keyOctets: [UInt8]? {
        guard case .subjectAndKey(let anchor) = self.form else { return nil }
        return Array(anchor.bytes[anchor.subject.upperBound...])
    }
}

extension CertificateView {
    fileprivate var keyEnd: UInt64 {
        self.bytes.slice(self.fields.subjectPublicKeyInfo.whole).suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
