//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOSSL
public import ServerTrust

/// What is trusted, what else judges, and how much of a server's time and bytes to put up with.
///
/// A value, and Hashable: connections whose settings are equal were judged alike and may share a pool. Settings with an
/// evaluator or a handler that is not Hashable are equal to their copies alone. A `ServerTrustManager` is equal to itself,
/// whatever its rules are at the time: to have a pool keep connections apart, set a new manager in place of new rules.
public struct ServerTrustSettings: Sendable {
    /// What is trusted. NIOSSL's own roots are never used.
    public var anchors: TrustAnchors

    /// Whether App Transport Security holds.
    public var transportSecurity: TransportSecurity

    /// The rules that chains are evaluated by.
    public var profile = ValidationProfile.apple

    /// Who in the program loads something.
    public var client = ATSClient.app

    /// What does not follow from the requirements: application protocols (ALPN), curves, a certificate of the client,
    /// a log of keys. Versions, cipher suites, signature algorithms, roots and verification are replaced, but for a
    /// minimum version that is newer than the one required.
    public var tls = TLSConfiguration.makeClientConfiguration()

    /// Judges chains: a `ServerTrustManager`, which has rules for many hosts and ports, a `SecurityPolicy`, or an evaluator of
    /// your own.
    ///
    /// Without App Transport Security it alone decides about the chain. Beside App Transport Security it is what an app's
    /// delegate is: what it refuses is refused; what it trusts in spite of what App Transport Security has against the chain is
    /// let through only where that leaves it to the app (`ATSRequirements.isEnforced` is off); pins of the Info.plist, versions
    /// and cipher suites never are. It is called on the event loop, once for each connection, and must not block.
    public var evaluator: (any ServerTrustEvaluating)? {
        get { self.identifiedEvaluator?.base }
        set { self.identifiedEvaluator = newValue.map(ServerTrustEvaluator.init) }
    }

    /// Decides after the rules, and may take its time: see `ServerTrustHandler`.
    ///
    /// It is asked about every chain that the rules let through, which it may refuse, and about every chain whose refusal
    /// they leave to the program, which it may accept: an untrusted chain that no ``evaluator`` has refused but that of the ordinary rules
    /// (`.default`). It cannot lift pins, any other evaluator's refusal, or what App Transport Security enforces, and is not asked
    /// about them.
    public var handler: (any ServerTrustHandler)? {
        didSet { self.handlerIdentity = self.handler.map { EvaluatorIdentity($0) } }
    }

    /// Remembers signatures from one connection to the next, of servers too; `nil` verifies every signature every time.
    /// What is remembered was verified, byte for byte, and changes no verdict.
    public var signatureCache: SignatureCache? = SignatureCache(remembersLeaves: true)

    /// Public suffixes, which wildcards must not cover.
    public var publicSuffixes: PublicSuffixList? = PublicSuffixFile.system()

    /// Whether and how revocation is checked, with the lists and responses there are. By default what is put here counts.
    public var revocation = RevocationPolicy.atHand

    /// Whether and how certificate transparency is asked for; `nil` asks nothing. NIOSSL gets no timestamps in handshakes:
    /// those in certificates count.
    public var transparency: TransparencyRequest?

    /// The time for a handshake, from when there is a connection. The time of ``handler`` is not part of it.
    public var handshakeTimeout: Duration = .seconds(20)

    /// The time for ``handler`` to answer.
    public var handlerTimeout: Duration = .seconds(60)

    /// The number of certificates accepted from a server. BoringSSL takes no more than 100 KiB of them.
    public var maximumCertificateCount = 100

    /// The number of bytes that wait for the verdict. Their promises are kept once they are sent. With a write beyond, the
    /// connection is refused with ``PendingWritesError``: it would lack a part of what was written.
    public var maximumPendingBytes = 1 << 20

    private var identifiedEvaluator: ServerTrustEvaluator?
    private var handlerIdentity: EvaluatorIdentity?

    /// Settings with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - anchors: What is trusted.
    ///   - transportSecurity: Whether App Transport Security holds.
    public init(anchors: TrustAnchors, transportSecurity: TransportSecurity = .strict) {
        self.anchors = anchors
        self.transportSecurity = transportSecurity
    }
}

extension ServerTrustSettings: Hashable {
    /// Whether connections are judged alike. What remembers signatures changes no verdict and is not compared.
    public static func == (left: ServerTrustSettings, right: ServerTrustSettings) -> Bool {
        left.rules == right.rules && left.limits == right.limits && left.tls.bestEffortEquals(right.tls)
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.rules)
        hasher.combine(self.limits)
        self.tls.bestEffortHash(into: &hasher)
    }

    private struct Rules: Hashable {
        let anchors: TrustAnchors
        let transportSecurity: TransportSecurity
        let profile: ValidationProfile
        let client: ATSClient
        let evaluator: ServerTrustEvaluator?
        let handler: EvaluatorIdentity?
        let publicSuffixes: PublicSuffixList?
        let revocation: RevocationPolicy
        let transparency: TransparencyRequest?
    }

    private struct Limits: Hashable {
        let handshakeTimeout, handlerTimeout: Duration
        let maximumCertificateCount, maximumPendingBytes: Int
    }

    private var rules: Rules {
        Rules(
            anchors: self.anchors, transportSecurity: self.transportSecurity, profile: self.profile,
            client: self.client,
            evaluator: self.identifiedEvaluator, handler: self.handlerIdentity, publicSuffixes: self.publicSuffixes,
            revocation: self.revocation, transparency: self.transparency)
    }

    private var limits: Limits {
        Limits(
            handshakeTimeout: self.handshakeTimeout, handlerTimeout: self.handlerTimeout,
            maximumCertificateCount: self.maximumCertificateCount, maximumPendingBytes: self.maximumPendingBytes)
    }
}
