//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Roots that no path may contain, by certificate and by key, even if the user or the program trusts them.
///
/// Pass them to an evaluation with ``ValidationRequest/blockedRoots``.
public struct BlockedRoots: Sendable {
    /// The SHA-256 fingerprints of the certificates.
    public let fingerprints: Set<[UInt8]>
    /// The blocked certificates that are known.
    public private(set) var certificates: [CertificateView]
    /// The source that blocks them, as a clause for a sentence: `CCADB, Apple Status, as of 2026-08-22`.
    public let source: String
    /// The certificates as anchors, for building paths that are then rejected.
    package private(set) var anchors: TrustAnchorSet
    /// The DER encodings of the SubjectPublicKeyInfo of all known certificates.
    private var keys: Set<[UInt8]> = []
    /// The last octets of these encodings.
    private var keyEnds: Set<UInt64> = []

    /// A value that blocks no root.
    public static let dangerouslyNone = BlockedRoots(fingerprints: [], source: "")

    /// Creates a set of blocked roots.
    ///
    /// - Parameters:
    ///   - fingerprints: The SHA-256 fingerprints of their certificates.
    ///   - certificates: The available certificates. Those that are not blocked have no effect.
    ///   - source: The source that blocks them.
    public init(
        fingerprints: Set<[UInt8]>, certificates: some Sequence<CertificateView> = [CertificateView](), source: String
    ) {
        self.fingerprints = fingerprints
        self.source = source
        self.certificates = []
        self.anchors = TrustAnchorSet()
        if !fingerprints.isEmpty { self.resolve(in: certificates) }
    }

    /// Adds the keys of the blocked certificates among others. A root that is known only by its fingerprint may be
    /// supplied, and may also be cross-certified.
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

    /// Returns the kind of match between a certificate of a path and a blocked root, or `nil` if it matches none.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - anchor: Its anchor with its fingerprint, or `nil` for other certificates.
    ///   - isLast: `true` if it ends the path. Only the last certificate and self-issued ones are roots.
    func match(_ certificate: CertificateView, anchor: TrustAnchor?, isLast: Bool) -> BlockedRoot.Match? {
        guard !self.fingerprints.isEmpty else { return nil }
        if isLast || certificate.isSelfIssued,
            self.fingerprints.contains(anchor?.fingerprint ?? certificate.fingerprint)
        {
            return .certificate
        }
        return self.mayHaveKey(of: certificate) && self.keys.contains(certificate.keyOctets) ? .key : nil
    }

    /// Compares the last octets of a certificate's key with those of blocked keys. Copying and hashing the whole key
    /// of each certificate would cost more than all other look-ups of a path.
    private func mayHaveKey(of certificate: CertificateView) -> Bool {
        self.keyEnds.contains(certificate.keyEnd)
    }

    /// Returns the kind of match between an anchor without a certificate and a blocked root.
    func match(_ key: [UInt8]) -> BlockedRoot.Match? { self.keys.contains(key) ? .key : nil }
}

extension BlockedRoots: Hashable {
    /// Returns `true` if both block the same certificates and keys, and have the same source.
    public static func == (left: BlockedRoots, right: BlockedRoots) -> Bool {
        left.fingerprints == right.fingerprints && left.keys == right.keys && left.source == right.source
    }

    /// Feeds the fingerprints and the source.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.fingerprints)
        hasher.combine(self.source)
    }
}

/// A blocked root, as the evidence for a rejection.
public struct BlockedRoot: Sendable, Hashable {
    /// The kind of match.
    public let match: Match
    /// The source that blocks the root: ``BlockedRoots/source``.
    public let source: String

    /// The part of a certificate that matches a blocked root.
    public enum Match: String, Sendable, Hashable, CaseIterable {
        /// The certificate itself is blocked.
        case certificate
        /// The certificate has the key of a blocked root.
        case key
    }
}

extension TrustAnchor {
    /// The DER encoding of the SubjectPublicKeyInfo, or `nil` if the anchor is a certificate, which is on the path itself.
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
