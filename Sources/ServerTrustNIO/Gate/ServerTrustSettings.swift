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
///
/// The properties of ``trust`` are properties of the settings, too: `settings.anchors.add(ourRoot)`.
@dynamicMemberLookup
public struct ServerTrustSettings: Sendable {
    /// What is trusted, the rules that chains are evaluated by, and what may be fetched for it. NIOSSL's own roots are never
    /// used.
    ///
    public var trust: TrustConfiguration

    /// Whether a server is looked at on a connection of its own, the first time that its certificate is seen, for what NIOSSL
    /// does not show: a stapled OCSP response, which may say “revoked”, and timestamps of certificate transparency.
    ///
    /// Looked at is each server whose revocation or transparency is judged. Where there is no way to look, such as behind a
    /// proxy of HTTP or after STARTTLS, or it is switched off, ``GatedConnection/sawDeliveredEvidence`` is false, and a server
    /// is judged by what its certificates have and by ``trust``.
    public var looksAtDeliveredEvidence = true

    /// Whether App Transport Security holds.
    public var transportSecurity: TransportSecurity

    /// Who in the program loads something.
    public var client = ATSClient.app

    /// What does not follow from the requirements: application protocols (ALPN), curves, a certificate of the client,
    /// a log of keys. Versions, cipher suites, roots and verification are replaced, but for a minimum version that is newer
    /// than the one required. Signature algorithms for verification are those of the requirements that are named here.
    public var tls = TLSConfiguration.makeClientConfiguration()

    /// Judges chains: a `ServerTrustManager`, which has rules for many hosts and ports, a `SecurityPolicy`, or an evaluator of
    /// your own.
    ///
    /// Without App Transport Security it alone decides about the chain. Beside App Transport Security it is what an app's
    /// delegate is: what it refuses is refused; what it trusts in spite of what App Transport Security has against the chain is
    /// let through only where that leaves it to the app (`ATSRequirements.isEnforced` is off); pins of the Info.plist, versions
    /// and cipher suites never are. It is called on the event loop and must not block, and is asked
    /// again, beside the event loop, where what is fetched or seen of the server may change the answer.
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
        didSet { self.handlerIdentity = self.handler.map { ValueIdentity($0 as? any ServerTrustHandler & Hashable) } }
    }

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
    private var handlerIdentity: ValueIdentity?

    /// Settings with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - trust: What is trusted, and the rules; by default Apple's whole verdict, with issuers fetched that servers do not
    ///     send. Signatures are remembered from one connection to the next unless you set ``TrustConfiguration/signatureCache``
    ///     to `nil` afterwards.
    ///   - transportSecurity: Whether App Transport Security holds.
    public init(
        trust: TrustConfiguration = .apple.fetchingIssuers(), transportSecurity: TransportSecurity = .strict
    ) {
        self.trust = trust.rememberingSignatures
        self.transportSecurity = transportSecurity
    }

    /// A property of ``trust``.
    public subscript<Value>(dynamicMember property: WritableKeyPath<TrustConfiguration, Value>) -> Value {
        get { self.trust[keyPath: property] }
        set { self.trust[keyPath: property] = newValue }
    }
}

extension TrustConfiguration {
    /// The same with a memory of signatures where it has none, those of leaves too: a program meets the same peers again.
    var rememberingSignatures: TrustConfiguration {
        var configuration = self
        configuration.signatureCache = self.signatureCache ?? SignatureCache(remembersLeaves: true)
        return configuration
    }
}

extension ServerTrustSettings: Hashable {
    /// Whether connections are judged alike.
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
        let trust: TrustConfiguration
        let looksAtDeliveredEvidence: Bool
        let transportSecurity: TransportSecurity
        let client: ATSClient
        let evaluator: ServerTrustEvaluator?
        let handler: ValueIdentity?
    }

    private struct Limits: Hashable {
        let handshakeTimeout, handlerTimeout: Duration
        let maximumCertificateCount, maximumPendingBytes: Int
    }

    private var rules: Rules {
        Rules(
            trust: self.trust, looksAtDeliveredEvidence: self.looksAtDeliveredEvidence,
            transportSecurity: self.transportSecurity, client: self.client,
            evaluator: self.identifiedEvaluator, handler: self.handlerIdentity)
    }

    private var limits: Limits {
        Limits(
            handshakeTimeout: self.handshakeTimeout, handlerTimeout: self.handlerTimeout,
            maximumCertificateCount: self.maximumCertificateCount, maximumPendingBytes: self.maximumPendingBytes)
    }
}
