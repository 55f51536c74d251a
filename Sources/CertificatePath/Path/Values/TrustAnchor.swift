//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The source of a trust anchor. Apple's rules depend on it (SecPolicyServer.c).
public enum AnchorClass: String, Sendable, Hashable, CaseIterable {
    /// The program supplied the anchor, as with `SecTrustSetAnchorCertificates`.
    case application = "app"
    /// The anchor is part of the system.
    case system
    /// The user or administrator trusts the anchor in the system's settings.
    case user
}

extension AnchorClass {
    package static let all = Set(Self.allCases)
}

/// A name and a key that are trusted without further proof.
///
/// An anchor is usually a certificate of any kind: a root, an intermediate or a leaf, self-signed or not, version 1 or
/// 3. It can also be a subject and a key alone, as RFC 5280 §6.1.1 (d) defines an anchor. Such an anchor has no
/// validity, constraints or usages to check.
///
/// ```swift
/// let anchors = TrustAnchorSet([TrustAnchor(certificate)])
/// ```
public struct TrustAnchor: Sendable {
    enum Form: Sendable, Hashable {
        case certificate(CertificateView)
        case subjectAndKey(SubjectAndKey)
    }

    let form: Form
    /// The source of the anchor.
    public let anchorClass: AnchorClass
    /// The fingerprint of its certificate. It is computed once, because every evaluation compares it with the blocked roots.
    let fingerprint: [UInt8]?
    /// `true` for an anchor of the system, even if a program or the user also trusts it.
    private(set) var isOfSystem: Bool

    /// The class for Apple's rules. A root of the system that a program or the user also trusts stays subject to the
    /// rules for system roots (SecPolicyServer.c, SecCertificateSource.c `SecSystemAnchorSourceContains`).
    var ruleClass: AnchorClass { self.isOfSystem ? .system : self.anchorClass }

    /// Returns the same anchor, marked as one of the system too.
    func alsoOfSystem() -> TrustAnchor {
        var anchor = self
        anchor.isOfSystem = true
        return anchor
    }

    /// Creates an anchor from a certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate to trust.
    ///   - anchorClass: The source of the anchor.
    public init(_ certificate: CertificateView, anchorClass: AnchorClass = .application) {
        self.form = .certificate(certificate)
        self.anchorClass = anchorClass
        self.fingerprint = certificate.fingerprint
        self.isOfSystem = anchorClass == .system
    }

    /// Creates an anchor from a name and a key.
    ///
    /// - Parameters:
    ///   - subject: The DER encoding of the distinguished name.
    ///   - subjectPublicKeyInfo: The DER encoding of the key.
    ///   - anchorClass: The source of the anchor.
    /// - Throws: ``DERError`` if the name or the key is malformed.
    public init(
        subject: [UInt8], subjectPublicKeyInfo: [UInt8], anchorClass: AnchorClass = .application
    ) throws(DERError) {
        self.form = .subjectAndKey(try SubjectAndKey(subject: subject, subjectPublicKeyInfo: subjectPublicKeyInfo))
        self.anchorClass = anchorClass
        self.fingerprint = nil
        self.isOfSystem = anchorClass == .system
    }

    /// The certificate, or `nil` if the anchor is a name and a key.
    public var certificate: CertificateView? {
        guard case .certificate(let certificate) = self.form else { return nil }
        return certificate
    }

    var key: PublicKeySource {
        switch self.form {
        case .certificate(let certificate): .certificate(certificate)
        case .subjectAndKey(let anchor): .anchor(anchor)
        }
    }

    var name: NameSource {
        switch self.form {
        case .certificate(let certificate): certificate.subjectName
        case .subjectAndKey(let anchor):
            NameSource(bytes: anchor.bytes, range: anchor.subject, hash: anchor.subjectHash)
        }
    }
}

/// A set of trust anchors, indexed by subject.
///
/// A ``PathValidator`` takes several sets, so the anchors of a system and those of a program stay separate.
public struct TrustAnchorSet: Sendable {
    private var anchorsBySubject: [UInt64: [TrustAnchor]] = [:]
    /// The anchors by a part of their certificate's signature, for finding a certificate without its name.
    private var anchorsBySignature: [UInt64: [TrustAnchor]] = [:]

    /// The number of anchors.
    public private(set) var count = 0

    /// Creates a set of anchors.
    public init(_ anchors: some Sequence<TrustAnchor> = []) {
        for anchor in anchors { self.insert(anchor) }
    }

    /// Adds an anchor. An equal anchor in the set is kept.
    public mutating func insert(_ anchor: TrustAnchor) {
        let hash = anchor.name.hash
        guard self.anchorsBySubject[hash]?.contains(where: { $0.form == anchor.form }) != true else { return }
        self.anchorsBySubject[hash, default: []].append(anchor)
        if let certificate = anchor.certificate {
            self.anchorsBySignature[certificate.signaturePrefix, default: []].append(anchor)
        }
        self.count += 1
    }

    /// Returns the anchor that is the certificate itself.
    func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        guard !self.anchorsBySignature.isEmpty else { return nil }
        return self.anchorsBySignature[certificate.signaturePrefix]?.first { $0.certificate == certificate }
    }

    /// Returns the anchors with the hash of a name, so that their names may equal it.
    func candidates(named name: NameSource) -> [TrustAnchor] {
        self.anchorsBySubject.isEmpty ? [] : self.anchorsBySubject[name.hash] ?? []
    }
}

extension TrustAnchor: Hashable {
    /// Returns `true` if both have the same certificate, or name and key, and the same class.
    public static func == (left: TrustAnchor, right: TrustAnchor) -> Bool {
        left.anchorClass == right.anchorClass && left.form == right.form
    }

    /// Feeds the certificate, or name and key, and the class.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.form)
        hasher.combine(self.anchorClass)
    }
}
