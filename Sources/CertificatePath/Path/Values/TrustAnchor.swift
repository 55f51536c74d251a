//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a trust anchor comes from. Apple's rules differ by it (SecPolicyServer.c).
public enum AnchorClass: String, Sendable, Hashable, CaseIterable {
    /// Given by the program: `SecTrustSetAnchorCertificates`.
    case application = "app"
    /// Built into the system.
    case system
    /// Trusted by the user or administrator in the system's settings.
    case user
}

extension AnchorClass {
    /// Every class, made once.
    package static let all = Set(Self.allCases)
}

/// A name and a key that are trusted as they are.
///
/// Usually a certificate, of which any kind will do: a root, an intermediate, a leaf, self-signed or not, version 1 or 3.
/// Or a subject and a key alone, as RFC 5280 §6.1.1 (d) defines an anchor; then there are no validity, constraints or
/// usages to check on it.
public struct TrustAnchor: Sendable {
    enum Form: Sendable, Hashable {
        case certificate(CertificateView)
        case subjectAndKey(SubjectAndKey)
    }

    let form: Form
    /// Where the anchor comes from.
    public let anchorClass: AnchorClass
    /// That of its certificate, made once: an anchor is held against the blocked roots in every evaluation.
    let fingerprint: [UInt8]?
    /// True for an anchor of the system, also where an app or the user trusts it too.
    private(set) var isOfSystem: Bool

    /// The class by Apple's rules: a root of the system that an app or the user also trusts stays subject to the rules for
    /// the system's (SecPolicyServer.c, SecCertificateSource.c `SecSystemAnchorSourceContains`).
    var ruleClass: AnchorClass { self.isOfSystem ? .system : self.anchorClass }

    /// The same anchor, which is among the system's too.
    func alsoOfSystem() -> TrustAnchor {
        var anchor = self
        anchor.isOfSystem = true
        return anchor
    }

    /// An anchor from a certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate to trust.
    ///   - anchorClass: Where it comes from.
    public init(_ certificate: CertificateView, anchorClass: AnchorClass = .application) {
        self.form = .certificate(certificate)
        self.anchorClass = anchorClass
        self.fingerprint = certificate.fingerprint
        self.isOfSystem = anchorClass == .system
    }

    /// An anchor from a name and a key.
    ///
    /// - Parameters:
    ///   - subject: The DER encoding of the distinguished name.
    ///   - subjectPublicKeyInfo: The DER encoding of the key.
    ///   - anchorClass: Where the anchor comes from.
    /// - Throws: ``DERError`` when either is not what it should be.
    public init(
        subject: [UInt8], subjectPublicKeyInfo: [UInt8], anchorClass: AnchorClass = .application
    ) throws(DERError) {
        self.form = .subjectAndKey(try SubjectAndKey(subject: subject, subjectPublicKeyInfo: subjectPublicKeyInfo))
        self.anchorClass = anchorClass
        self.fingerprint = nil
        self.isOfSystem = anchorClass == .system
    }

    /// The certificate, when the anchor is one.
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

    /// The anchor's name.
    var name: NameSource {
        switch self.form {
        case .certificate(let certificate): certificate.subjectName
        case .subjectAndKey(let anchor):
            NameSource(bytes: anchor.bytes, range: anchor.subject, hash: anchor.subjectHash)
        }
    }
}

/// Trust anchors, indexed by subject.
public struct TrustAnchorSet: Sendable {
    private var anchorsBySubject: [UInt64: [TrustAnchor]] = [:]
    /// The same by a part of their certificate's signature, for finding a certificate without its name.
    private var anchorsBySignature: [UInt64: [TrustAnchor]] = [:]

    /// The number of anchors.
    public private(set) var count = 0

    /// A set of anchors.
    public init(_ anchors: some Sequence<TrustAnchor> = []) {
        for anchor in anchors { self.insert(anchor) }
    }

    /// Adds an anchor; one that is there already stays as it is.
    public mutating func insert(_ anchor: TrustAnchor) {
        let hash = anchor.name.hash
        guard self.anchorsBySubject[hash]?.contains(where: { $0.form == anchor.form }) != true else { return }
        self.anchorsBySubject[hash, default: []].append(anchor)
        if let certificate = anchor.certificate {
            self.anchorsBySignature[certificate.signaturePrefix, default: []].append(anchor)
        }
        self.count += 1
    }

    /// The anchor that is the certificate itself.
    func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        guard !self.anchorsBySignature.isEmpty else { return nil }
        return self.anchorsBySignature[certificate.signaturePrefix]?.first { $0.certificate == certificate }
    }

    /// The anchors whose names may be a name: those with its hash.
    func candidates(named name: NameSource) -> [TrustAnchor] {
        self.anchorsBySubject.isEmpty ? [] : self.anchorsBySubject[name.hash] ?? []
    }
}

extension TrustAnchor: Hashable {
    /// Compares the certificates, or the names and keys, and the classes.
    public static func == (left: TrustAnchor, right: TrustAnchor) -> Bool {
        left.anchorClass == right.anchorClass && left.form == right.form
    }

    /// Hashes the same.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.form)
        hasher.combine(self.anchorClass)
    }
}
