//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// What an evaluation trusts: any number of stores, and certificates of the program's own.
///
/// ```swift
/// trust.anchors = .store(try .system())      // the system's
/// trust.anchors.add(ourRoot)                 // and one more
/// trust.anchors = .only([ourRoot])           // nothing else: SecTrustSetAnchorCertificates
/// ```
public struct TrustAnchors: Sendable {
    private var own = TrustAnchorSet()
    package private(set) var stores: [TrustStore] = []

    /// The certificates given by the program, in the order they were added.
    public private(set) var certificates: [Certificate] = []
    /// What Apple's rules take each of them for.
    private var classes: [AnchorClass] = []
    private var currentBlockedRoots = AppleTrustData.builtInBlockedRoots
    private var areBlockedRootsGiven = false

    /// Trusts nothing: every evaluation fails.
    public static let none = TrustAnchors()

    /// The roots of Apple's program for TLS servers, by the built-in data.
    public static let apple: TrustAnchors = {
        // A test reads the tables. Without a root nothing is trusted.
        guard let store = try? TrustStore.apple(.builtIn) else { return .none }
        return .store(store)
    }()

    /// Trusts a store.
    public static func store(_ store: TrustStore) -> TrustAnchors {
        var anchors = TrustAnchors()
        anchors.add(store)
        return anchors
    }

    /// Trusts certificates of the program's own and nothing else (`SecTrustSetAnchorCertificates`).
    ///
    /// - Parameter certificates: Roots, intermediates or leaves. An empty array trusts nothing.
    public static func only(_ certificates: [Certificate]) -> TrustAnchors {
        var anchors = TrustAnchors()
        for certificate in certificates { anchors.add(certificate) }
        return anchors
    }

    /// Adds a certificate and keeps what is trusted already (`SecTrustSetAnchorCertificatesOnly(false)`).
    ///
    /// - Parameters:
    ///   - certificate: The certificate to trust: a root, an intermediate or a leaf.
    ///   - anchorClass: What Apple's rules take it for.
    public mutating func add(_ certificate: Certificate, as anchorClass: AnchorClass = .application) {
        self.own.insert(TrustAnchor(certificate.view, anchorClass: anchorClass))
        self.certificates.append(certificate)
        self.classes.append(anchorClass)
        self.currentBlockedRoots.resolve(in: [certificate.view])
    }

    /// Adds a store and keeps what is trusted already.
    public mutating func add(_ store: TrustStore) {
        self.stores.append(store)
        guard !self.areBlockedRootsGiven, let blocked = store.blockedRoots else {
            self.currentBlockedRoots.resolve(in: store.certificates.lazy.map(\.view))
            return
        }
        self.block(blocked)
    }

    /// The roots that no path may lead through: unless set, those that Apple blocks by the data of the last
    /// store of Apple's roots, or else by the built-in data.
    public var blockedRoots: BlockedRoots {
        get { self.currentBlockedRoots }
        set {
            self.areBlockedRootsGiven = true
            self.block(newValue)
        }
    }

    /// Blocks roots by their keys, too, where what is trusted has certificates that are known by their fingerprints alone.
    private mutating func block(_ roots: BlockedRoots) {
        self.currentBlockedRoots = roots
        self.currentBlockedRoots.resolve(in: self.allCertificates.lazy.map(\.view))
    }

    /// Certificates of the program's own and nothing else, with the same blocked roots.
    func replaced(by certificates: some Sequence<Certificate>) -> TrustAnchors {
        var anchors = TrustAnchors.only(Array(certificates))
        anchors.blockedRoots = self.blockedRoots
        return anchors
    }

    /// The same anchors and one certificate more.
    public func adding(_ certificate: Certificate) -> TrustAnchors {
        var anchors = self
        anchors.add(certificate)
        return anchors
    }

    /// What a certificate of the program's own is taken for; `nil` where there is no such certificate.
    func anchorClass(at position: Int) -> AnchorClass? {
        self.classes.indices.contains(position) ? self.classes[position] : nil
    }

    /// The certificates given by the program, and those of the stores.
    var allCertificates: [Certificate] { self.certificates + self.stores.flatMap(\.certificates) }

    /// The program's own first, as Apple looks anchors up (SecTrustServer.c `SecPathBuilderInit`). Blocked roots come last:
    /// paths are built to them so that they are refused for what they are, and not for a missing issuer.
    ///
    /// - Parameter blocked: ``blockedRoots``, which paths to these sets must be held against.
    func sets(besides blocked: BlockedRoots) -> [TrustAnchorSet] {
        [self.own] + self.stores.map(\.anchors) + (blocked.certificates.isEmpty ? [] : [blocked.anchors])
    }
}

extension TrustAnchors: Hashable {
    /// Whether the same certificates, of the same classes, and equal stores were added in the same order.
    public static func == (left: TrustAnchors, right: TrustAnchors) -> Bool {
        left.certificates == right.certificates && left.classes == right.classes && left.stores == right.stores
            && left.blockedRoots == right.blockedRoots
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.certificates)
        hasher.combine(self.classes)
        hasher.combine(self.stores)
        hasher.combine(self.blockedRoots.fingerprints)
    }
}

extension BlockedRoots {
    /// Roots that are blocked.
    ///
    /// - Parameters:
    ///   - certificates: Their certificates.
    ///   - source: Where it is said that they are blocked.
    public init(_ certificates: [Certificate], source: String) {
        self.init(
            fingerprints: Set(certificates.map(\.sha256Fingerprint)), certificates: certificates.map(\.view),
            source: source)
    }
}
