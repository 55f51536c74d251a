//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// Judges connections to one destination by the settings of a gate. The only place where they are enforced.
///
/// A class, as every connection holds one.
final class ConnectionJudge: Sendable {
    let destination: ATSDestination
    let requirements: ATSRequirements
    let settings: ServerTrustSettings
    /// The name or address that certificates must be for.
    let hostname: String
    private let trustPolicy: TrustPolicy
    private let evaluator: (any ServerTrustEvaluating)?
    /// Whether the program's evaluator alone decides about the chain.
    private let isEvaluatedAlone: Bool
    /// What was seen of the machines of the server, which may have certificates of their own.
    private let looks = LookMemory()

    init(
        _ settings: ServerTrustSettings, _ destination: ATSDestination, requirements: ATSRequirements, hostname: String
    ) {
        self.settings = settings
        self.destination = destination
        self.requirements = requirements
        self.hostname = hostname
        self.trustPolicy = requirements.trustPolicy(hostname: hostname)
        self.evaluator = settings.evaluator
        self.isEvaluatedAlone = settings.transportSecurity == .withoutAppTransportSecurity
    }

    /// Judges what a server chose and presented, by the rules.
    ///
    /// - Parameters:
    ///   - certificates: What it presented, its own certificate first.
    ///   - choice: What it chose. Without it there is nothing that speaks for the connection.
    /// - Throws: ``ServerTrustGateError`` where there is nothing to judge.
    func judge(
        _ certificates: [NIOSSLCertificate], chosen choice: ServerChoice?
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        guard let choice else { throw self.error(.protocolError) }
        return try self.judge(certificates, on: ATSConnection(choice))
    }

    /// Judges what a server presented, where what it chose cannot be known: it is taken for what was offered. Whether keys
    /// older than TLS 1.3's are bound to the handshake is no matter of offering, and stays unknown.
    func judge(
        onlyCertificates certificates: [NIOSSLCertificate], onlyTLS13: Bool
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        let version = onlyTLS13 ? .tls13 : max(self.requirements.effectiveMinimumVersion ?? .tls13, .tls12)
        let suite = self.requirements.cipherSuites.first
        return try self.judge(certificates, on: ATSConnection(version: version, cipherSuite: suite, trust: nil))
    }

    /// Judges what is known of a server after a handshake that another library judged.
    ///
    /// - Parameters:
    ///   - certificates: The server's own certificate, and what is known of its path.
    ///   - version: The version that was agreed on.
    ///   - intermediates: What the server is expected to have sent.
    func judge(
        _ certificates: [NIOSSLCertificate], version: TLSProtocolVersion, expecting intermediates: [Certificate]
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        let connection = ATSConnection(
            version: version, cipherSuite: self.requirements.cipherSuites.first, trust: nil)
        return try self.judge(certificates, on: connection, expecting: intermediates)
    }

    private func judge(
        _ certificates: [NIOSSLCertificate], on connection: ATSConnection, expecting intermediates: [Certificate] = []
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        do {
            let presented = try PresentedCertificates(certificates, atMost: self.settings.maximumCertificateCount)
            var trust = try Trust(
                certificates: presented.parsed() + intermediates, policy: self.trustPolicy,
                configuration: self.settings.trust)
            let look = trust.certificates.first.flatMap { self.looks.look(at: $0) }
            look?.complete(&trust)
            return self.judge(trust, on: connection, hasLooked: look != nil)
        } catch {
            throw self.error(error is TooManyCertificates ? .tooMuch : .protocolError, cause: error)
        }
    }

    /// Evaluates a chain once: by the program's evaluator where it alone decides, and otherwise by the rules of App Transport
    /// Security. Where both decide, no signature is verified twice.
    private func judge(_ trust: consuming Trust, on connection: ATSConnection, hasLooked: Bool) -> ConnectionJudgment {
        if self.evaluator != nil, !self.isEvaluatedAlone {
            trust.signatureCache = trust.signatureCache ?? .ofOneConnection
        }
        let decision = self.evaluator?.evaluate(trust, forHost: self.hostname, port: self.destination.port)
        let result = self.isDecided(by: decision) ? decision?.result : trust.evaluate()
        return self.judgment(
            trust, on: connection, decision: decision, result: result, hasLooked: hasLooked)
    }

    /// Whether a judgment is not the last word: the server can be looked at, or something can be fetched.
    func isOpen(_ judgment: ConnectionJudgment, canLook: Bool) -> Bool {
        judgment.mayChangeByFetching || canLook && self.mayLook(for: judgment)
    }

    private func mayLook(for judgment: ConnectionJudgment) -> Bool {
        self.settings.looksAtDeliveredEvidence && judgment.mayChangeByLooking
            && self.mayLook(at: judgment.trust?.certificates.first)
    }

    /// Judges once more, with what the server delivers beside its certificates, and with what the settings let be fetched.
    ///
    /// - Parameters:
    ///   - judgment: The judgment by what the server sent.
    ///   - looker: A look at the server; `nil` without a way to it.
    /// - Returns: The judgment that holds.
    /// - Throws: `CancellationError` when the task is cancelled.
    func completed(_ judgment: ConnectionJudgment, by looker: ServerLooker?) async throws -> ConnectionJudgment {
        var judgment = judgment
        if let looker, self.mayLook(for: judgment), var trust = judgment.trust,
            let look = await self.look(at: trust.certificates.first, by: looker)
        {
            look.complete(&trust)
            judgment = self.judge(trust, on: judgment.connection, hasLooked: true)
        }
        return judgment.mayChangeByFetching ? try await self.fetched(for: judgment) : judgment
    }

    /// Looks at a server until it shows the certificate of the connection: the machines of one name may have others.
    private func look(at leaf: Certificate?, by looker: ServerLooker) async -> ServerLook? {
        guard let leaf else { return nil }
        for _ in 0..<Self.maximumLooks {
            let look = await looker.look()
            self.remember(look, by: looker)
            guard let look else { return nil }
            if look.leaf == leaf.derRepresentation { return look }
        }
        self.looks.miss(leaf)
        return nil
    }

    /// Remembers a look, unless this side gave it up.
    private func remember(_ look: ServerLook?, by looker: ServerLooker) {
        let isOver = looker.dialer.deadline.map { $0 <= .now() } ?? false
        if look != nil || !Task.isCancelled && !isOver { self.looks.remember(look) }
    }

    private static let maximumLooks = 3

    private func fetched(for judgment: ConnectionJudgment) async throws -> ConnectionJudgment {
        guard let trust = judgment.trust, let fetching = self.settings.trust.fetching,
            let options = fetching.remainingOptions
        else { return judgment }
        let decision = try await self.evaluator?.evaluate(
            trust, forHost: self.hostname, port: self.destination.port, fetching: fetching.fetcher, options: options)
        let result =
            self.isDecided(by: decision)
            ? decision?.result : try await trust.evaluate(fetching: fetching.fetcher, options).result
        return self.judgment(
            result?.trust ?? trust, on: judgment.connection, decision: decision, result: result,
            hasLooked: judgment.sawDeliveredEvidence)
    }

    private func isDecided(by decision: ServerTrustDecision?) -> Bool { decision != nil && self.isEvaluatedAlone }

    private func judgment(
        _ trust: Trust, on connection: ATSConnection, decision: ServerTrustDecision?, result: TrustResult?,
        hasLooked: Bool
    ) -> ConnectionJudgment {
        var connection = connection
        connection.trust = result
        if self.isDecided(by: decision) { connection.dangerouslyAssumesTrust = decision?.isTrusted == true }
        let verdict = self.requirements.verdict(on: connection)
        return ConnectionJudgment(
            self.destination, connection, trust: trust, verdict: verdict, decision: decision,
            sawDeliveredEvidence: hasLooked)
    }
}

extension SignatureCache {
    /// For two evaluations of one chain.
    fileprivate static var ofOneConnection: SignatureCache { SignatureCache(capacity: 16, remembersLeaves: true) }
}

// MARK: - Looking

extension ConnectionJudge {
    /// Looks at the server before it is connected to. ``looksFirst`` says when.
    ///
    /// - Parameters:
    ///   - looker: The look.
    ///   - isOnlyWay: Whether the connection can take no other way. What failed on one of several says nothing of the rest.
    func lookFirst(by looker: ServerLooker, isOnlyWay: Bool = true) async {
        let look = await looker.look()
        if look != nil || isOnlyWay { self.remember(look, by: looker) }
    }

    /// True if something is judged by what the server delivers, and the server was not looked at lately.
    var looksFirst: Bool {
        let trust = self.settings.trust
        return self.settings.looksAtDeliveredEvidence && (trust.revocation.mode != .off || trust.transparency != nil)
            && !self.looks.isFresh
    }

    /// A look that offers what the connection offers, by a reader that shows what is delivered.
    func looker(_ dialer: Dialer, _ endpoint: TLSEndpoint, serverName: String?) -> ServerLooker {
        var offer = HandshakeOffer()
        let tls = self.settings.tls
        offer.minimumVersion = .tls12
        offer.maximumVersion = tls.maximumTLSVersion.map(TLSProtocolVersion.init) ?? .tls13
        let chosen = tls.verifySignatureAlgorithms?.map(\.rawValue)
        offer.signatureSchemes = self.requirements.signatureSchemes.filter { chosen?.contains($0.rawValue) ?? true }
        offer.cipherSuites = self.requirements.cipherSuites
        offer.serverName = serverName
        offer.applicationProtocols = self.settings.tls.applicationProtocols
        return ServerLooker(dialer: dialer, endpoint: endpoint, offer: offer, timeout: self.lookTimeout)
    }

    /// Half of the time of the handshake, at most.
    var lookTimeout: Duration { min(.seconds(5), self.settings.handshakeTimeout / 2) }

    /// Returns true if a look during the handshake may show something. None does for a minute after one that showed nothing.
    func mayLook(at leaf: Certificate?) -> Bool {
        guard let leaf else { return false }
        return self.looks.look(at: leaf) == nil && !self.looks.hasJustFailed && !self.looks.hasJustMissed(leaf)
    }
}

// MARK: - Connections that do not come about

extension ConnectionJudge {
    func error(_ failure: ATSConnectionFailure, cause: (any Error)? = nil) -> ServerTrustGateError {
        ServerTrustGateError(self.destination, self.requirements.verdict(on: .failed(failure)), cause: cause)
    }

    /// The error for a handshake that failed: what the server chose says more than what BoringSSL said of it.
    func error(
        _ failure: ATSConnectionFailure, chosen choice: ServerChoice?, cause: (any Error)?
    ) -> ServerTrustGateError {
        guard let choice else { return self.error(failure, cause: cause) }
        let connection = ATSConnection(choice)
        guard !self.requirements.violations(ofTransport: connection).isEmpty else {
            return self.error(failure, cause: cause)
        }
        return ServerTrustGateError(self.destination, self.requirements.verdict(on: connection), cause: cause)
    }
}

/// What a server chose, of all that is in its hello.
struct ServerChoice {
    let version: TLSProtocolVersion
    let cipherSuite: CipherSuite
    let usesExtendedMasterSecret: Bool?

    init(_ hello: ServerHello) {
        self.version = hello.version
        self.cipherSuite = hello.cipherSuite
        self.usesExtendedMasterSecret = hello.usesExtendedMasterSecret
    }
}

extension ATSConnection {
    fileprivate init(_ choice: ServerChoice) {
        self.init(
            version: choice.version, cipherSuite: choice.cipherSuite,
            usesExtendedMasterSecret: choice.usesExtendedMasterSecret, trust: nil)
    }
}
