//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The trust anchors of an evaluation: any number of stores, and certificates added by the program.
public struct TrustAnchors: Sendable {
    private var own = TrustAnchorSet()
    package private(set) var stores: [TrustStore] = []

    /// The certificates added by the program, in the order of their addition.
    public private(set) var certificates: [Certificate] = []
    /// The class of each of ``certificates`` under Apple's rules.
    private var classes: [AnchorClass] = []
    private var currentBlockedRoots = AppleTrustData.builtInBlockedRoots
    private var areBlockedRootsGiven = false

    /// No anchors: every evaluation fails.
    public static let none = TrustAnchors()

    /// The roots of Apple's program for TLS servers, from the built-in data.
    public static let apple: TrustAnchors = {
        // A test reads the tables. Without roots nothing is trusted.
        guard let store = try? TrustStore.apple(.builtIn) else { return .none }
        return .store(store)
    }()

    /// Returns the anchors of one store.
    public static func store(_ store: TrustStore) -> TrustAnchors {
        var anchors = TrustAnchors()
        anchors.add(store)
        return anchors
    }

    /// Returns the given certificates as the only anchors (`SecTrustSetAnchorCertificates`).
    public static func only(_ certificates: [Certificate]) -> TrustAnchors {
        var anchors = TrustAnchors()
        for certificate in certificates { anchors.add(certificate) }
        return anchors
    }

    /// Adds a certificate and keeps the current anchors (`SecTrustSetAnchorCertificatesOnly(false)`).
    ///
    /// - Parameters:
    ///   - certificate: The certificate to trust: a root, an intermediate or a leaf.
    ///   - anchorClass: The class of the anchor under Apple's rules.
    public mutating func add(_ certificate: Certificate, as anchorClass: AnchorClass = .application) {
        self.own.insert(TrustAnchor(certificate.view, anchorClass: anchorClass))
        self.certificates.append(certificate)
        self.classes.append(anchorClass)
        self.currentBlockedRoots.resolve(in: [certificate.view])
    }

    /// Adds a store and keeps the current anchors.
    public mutating func add(_ store: TrustStore) {
        self.stores.append(store)
        guard !self.areBlockedRootsGiven, let blocked = store.blockedRoots else {
            self.currentBlockedRoots.resolve(in: store.certificates.lazy.map(\.view))
            return
        }
        self.block(blocked)
    }

    /// The roots that refuse every path through them. By default these are the roots that Apple blocks, by the data of the last
    /// added store of Apple's roots, or else by the built-in data.
    public var blockedRoots: BlockedRoots {
        get { self.currentBlockedRoots }
        set {
            self.areBlockedRootsGiven = true
            self.block(newValue)
        }
    }

    /// Sets blocked roots, and blocks a root by its key, too, if the anchors have the certificate of a root that is listed by
    /// fingerprint only.
    private mutating func block(_ roots: BlockedRoots) {
        self.currentBlockedRoots = roots
        self.currentBlockedRoots.resolve(in: self.allCertificates.lazy.map(\.view))
    }

    /// Returns the given certificates as the only anchors, with the same blocked roots.
    func replaced(by certificates: some Sequence<Certificate>) -> TrustAnchors {
        var anchors = TrustAnchors.only(Array(certificates))
        anchors.blockedRoots = self.blockedRoots
        return anchors
    }

    /// Returns the same anchors and the given certificate.
    public func adding(_ certificate: Certificate) -> TrustAnchors {
        var anchors = self
        anchors.add(certificate)
        return anchors
    }

    /// Returns the class of a certificate added by the program, or `nil` if there is no such certificate.
    func anchorClass(at position: Int) -> AnchorClass? {
        self.classes.indices.contains(position) ? self.classes[position] : nil
    }

    var allCertificates: [Certificate] { self.certificates + self.stores.flatMap(\.certificates) }

    /// Returns the program's own anchors first, in Apple's order of lookup (SecTrustServer.c `SecPathBuilderInit`). Blocked roots
    /// come last: paths are built to them so that they are refused as blocked, not for a missing issuer.
    ///
    /// - Parameter blocked: The blocked roots against which paths to these sets must be checked.
    func sets(besides blocked: BlockedRoots) -> [TrustAnchorSet] {
        [self.own] + self.stores.map(\.anchors) + (blocked.certificates.isEmpty ? [] : [blocked.anchors])
    }
}

extension TrustAnchors: Hashable {
    /// Returns `true` if equal certificates of equal classes and equal stores were added in the same order, and the blocked roots
    /// are equal.
    public static func == (left: TrustAnchors, right: TrustAnchors) -> Bool {
        left.certificates == right.certificates && left.classes == right.classes && left.stores == right.stores
            && left.blockedRoots == right.blockedRoots
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.certificates)
        hasher.combine(self.classes)
        hasher.combine(self.stores)
        hasher.combine(self.blockedRoots.fingerprints)
    }
}

extension BlockedRoots {
    /// Creates a set of blocked roots from certificates.
    ///
    /// - Parameters:
    ///   - certificates: The certificates of the roots.
    ///   - source: The publication that blocks them.
    public init(_ certificates: [Certificate], source: String) {
        self.init(
            fingerprints: Set(certificates.map(\.sha256Fingerprint)), certificates: certificates.map(\.view),
            source: source)
    }
}
