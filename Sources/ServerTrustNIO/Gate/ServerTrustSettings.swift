//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOSSL
public import ServerTrust

/// The settings of a ``ServerTrustGate``: the trust in servers, additional judges, and limits on time and bytes.
///
/// Connections with equal settings were judged alike and may share a pool. Settings with an evaluator or a handler that is not
/// `Hashable` are equal to their copies only. A `ServerTrustManager` is equal to itself, whatever its rules are at the time. To
/// make a pool keep connections apart, set a new manager instead of new rules.
///
/// The properties of ``trust`` are properties of the settings, too: `settings.anchors.add(ourRoot)`.
@dynamicMemberLookup
public struct ServerTrustSettings: Sendable {
    /// The anchors, the rules for the evaluation of chains, and the resources that may be fetched for it. NIOSSL's own roots are
    /// never used.
    public var trust: TrustConfiguration

    /// `true` to look at a server on a separate connection the first time that its certificate is seen.
    ///
    /// A look reads the evidence that NIOSSL does not show: a stapled OCSP response, which may say “revoked”, and SCTs of
    /// Certificate Transparency. It is made if revocation or transparency is judged. If there is no way to look, such as behind an
    /// HTTP proxy or after STARTTLS, or if looking is off, ``GatedConnection/sawDeliveredEvidence`` is `false`, and the server is
    /// judged by its certificates and ``trust``.
    public var looksAtDeliveredEvidence = true

    /// The rules of App Transport Security for connections.
    public var transportSecurity: TransportSecurity

    /// The part of the program that loads the URL, which exceptions depend on.
    public var client = ATSClient.app

    /// The parts of the TLS configuration that the requirements leave open: application protocols (ALPN), curves, a client
    /// certificate, a key log.
    ///
    /// Versions, cipher suites, roots and verification are replaced, except that a minimum version newer than the required one is
    /// kept. If signature algorithms for verification are named here, only those of them are used that the requirements allow.
    public var tls = TLSConfiguration.makeClientConfiguration()

    /// The program's own judge of chains: a `ServerTrustManager`, which has rules for many hosts and ports, a `SecurityPolicy`, or
    /// an evaluator of your own.
    ///
    /// Without App Transport Security the evaluator alone decides about the chain. With App Transport Security it has the role of
    /// an app's delegate. Its refusals hold. It can accept a chain that App Transport Security rejects only if App Transport
    /// Security leaves the decision to the app (`ATSRequirements.isEnforced` is `false`). It can never lift the Info.plist's pins
    /// or the limits on versions and cipher suites.
    ///
    /// It is called on the event loop and must not block. It is called again, off the event loop, if fetched resources or a look at
    /// the server may change its answer.
    public var evaluator: (any ServerTrustEvaluating)? {
        get { self.identifiedEvaluator?.base }
        set { self.identifiedEvaluator = newValue.map(ServerTrustEvaluator.init) }
    }

    /// The program's handler, which decides after the rules and may take its time: see `ServerTrustHandler`.
    ///
    /// It is asked about every chain that the rules let through, and may refuse it. It is also asked about every refusal that the
    /// rules leave to the program, and may accept the chain: an untrusted chain that no ``evaluator`` other than the ordinary rules
    /// (`.default`) has refused. It cannot lift pins, any other evaluator's refusal, or the rules that App Transport Security
    /// enforces, and it is not asked about them.
    public var handler: (any ServerTrustHandler)? {
        didSet { self.handlerIdentity = self.handler.map { ValueIdentity($0 as? any ServerTrustHandler & Hashable) } }
    }

    /// The time for a handshake, counted from the moment the channel is connected. The time of ``handler`` is not part of it.
    public var handshakeTimeout: Duration = .seconds(20)

    /// The time for ``handler`` to answer.
    public var handlerTimeout: Duration = .seconds(60)

    /// The maximum number of certificates from a server. BoringSSL accepts at most 100 KiB of them.
    public var maximumCertificateCount = 100

    /// The maximum number of bytes that wait for the verdict.
    ///
    /// The promises of waiting writes succeed once they are sent. A write above the limit refuses the connection with
    /// ``PendingWritesError``, because the connection would otherwise lack a part of the data.
    public var maximumPendingBytes = 1 << 20

    private var identifiedEvaluator: ServerTrustEvaluator?
    private var handlerIdentity: ValueIdentity?

    /// Creates settings, with safe defaults for the other properties.
    ///
    /// - Parameters:
    ///   - trust: The anchors and rules. The default is Apple's whole verdict, with fetching of issuers that servers do not send.
    ///     Signatures are remembered from one connection to the next unless you set `TrustConfiguration.signatureCache` to `nil`
    ///     afterwards.
    ///   - transportSecurity: The rules of App Transport Security.
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
    /// The configuration with a cache of signatures if it has none. The cache includes signatures of leaves, because a program
    /// meets the same peers again.
    var rememberingSignatures: TrustConfiguration {
        var configuration = self
        configuration.signatureCache = self.signatureCache ?? SignatureCache(remembersLeaves: true)
        return configuration
    }
}

extension ServerTrustSettings: Hashable {
    /// Returns `true` if both settings judge connections alike.
    public static func == (left: ServerTrustSettings, right: ServerTrustSettings) -> Bool {
        left.rules == right.rules && left.limits == right.limits && left.tls.bestEffortEquals(right.tls)
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.rules)
        hasher.combine(self.limits)
        self.tls.hashWithoutKey(into: &hasher)
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

extension TLSConfiguration {
    /// Hashes the configuration without its private key. NIOSSL ends the process when it hashes a key of the kind Ed25519, and the
    /// certificates tell the keys apart.
    func hashWithoutKey(into hasher: inout Hasher) {
        var other = self
        other.privateKey = nil
        other.bestEffortHash(into: &hasher)
    }
}
