//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// The judge of the connections to one destination under the settings of a gate. The settings are enforced here and nowhere else.
///
/// A class, because every connection holds a reference to it.
final class ConnectionJudge: Sendable {
    let destination: ATSDestination
    let requirements: ATSRequirements
    let settings: ServerTrustSettings
    /// The host name or IP address that the leaf must be valid for.
    let hostname: String
    private let trustPolicy: TrustPolicy
    private let evaluator: (any ServerTrustEvaluating)?
    /// `true` if the program's evaluator alone decides about the chain, because App Transport Security is off.
    private let isEvaluatedAlone: Bool
    /// The results of earlier looks at the server. The machines behind one name may have different certificates.
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

    /// Judges a server by its ServerHello and its chain.
    ///
    /// - Parameters:
    ///   - certificates: The certificates that the server presented, its own first.
    ///   - choice: The server's choice from its ServerHello. Without a choice the connection is refused.
    /// - Throws: ``ServerTrustGateError`` if there is no choice, or if the certificates cannot be read.
    func judge(
        _ certificates: [NIOSSLCertificate], chosen choice: ServerChoice?
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        guard let choice else { throw self.error(.violation(.illegalValue("ServerHello"))) }
        return try self.judge(certificates, on: ATSConnection(choice))
    }

    /// Judges a server by its chain alone, for callers that cannot see its ServerHello.
    ///
    /// The judgment assumes the first cipher suite of the offer and its oldest version, but at least TLS 1.2. The extended
    /// master secret is no part of an offer, so it stays unknown before TLS 1.3.
    func judge(
        onlyCertificates certificates: [NIOSSLCertificate], onlyTLS13: Bool
    ) throws(ServerTrustGateError) -> ConnectionJudgment {
        let version = onlyTLS13 ? .tls13 : max(self.requirements.effectiveMinimumVersion ?? .tls13, .tls12)
        let suite = self.requirements.cipherSuites.first
        return try self.judge(certificates, on: ATSConnection(version: version, cipherSuite: suite, trust: nil))
    }

    /// Judges a server after another library completed the handshake.
    ///
    /// - Parameters:
    ///   - certificates: The server's own certificate, then the known part of its path.
    ///   - version: The negotiated version.
    ///   - intermediates: The intermediates that the server is expected to send.
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
            throw self.error(
                .malformed(error is TooManyCertificates ? .tooManyCertificates : .undecodable("Certificate")),
                cause: error)
        }
    }

    /// Evaluates a chain once.
    ///
    /// Without App Transport Security the program's evaluator alone decides if there is one. Otherwise the rules of App Transport
    /// Security evaluate the chain. If both evaluate it, they share a signature cache, so no signature is verified twice.
    private func judge(_ trust: consuming Trust, on connection: ATSConnection, hasLooked: Bool) -> ConnectionJudgment {
        if self.evaluator != nil, !self.isEvaluatedAlone {
            trust.signatureCache = trust.signatureCache ?? .ofOneConnection
        }
        let decision = self.evaluator?.evaluate(trust, forHost: self.hostname, port: self.destination.port)
        let result = self.isDecided(by: decision) ? decision?.result : trust.evaluate()
        return self.judgment(
            trust, on: connection, decision: decision, result: result, hasLooked: hasLooked)
    }

    /// Returns `true` if a look at the server or a fetch may still change the judgment.
    func isOpen(_ judgment: ConnectionJudgment, canLook: Bool) -> Bool {
        judgment.mayChangeByFetching || canLook && self.mayLook(for: judgment)
    }

    private func mayLook(for judgment: ConnectionJudgment) -> Bool {
        self.settings.looksAtDeliveredEvidence && judgment.mayChangeByLooking
            && self.mayLook(at: judgment.trust?.certificates.first)
    }

    /// Judges again with the stapled response and the SCTs of a look at the server, and with the resources that the settings allow
    /// to be fetched.
    ///
    /// - Parameters:
    ///   - judgment: The judgment from the handshake alone.
    ///   - looker: The means to look at the server, or `nil` if there is no way to reach it.
    /// - Returns: The final judgment.
    /// - Throws: `CancellationError` if the task is cancelled.
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

    /// Looks at a server until it shows the leaf of the connection, because the machines of one name may have different
    /// certificates.
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

    /// Remembers the result of a look. A failed look does not count if it was cancelled or ran out of time.
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
    /// A cache for two evaluations of the same chain.
    fileprivate static var ofOneConnection: SignatureCache { SignatureCache(capacity: 16, remembersLeaves: true) }
}

// MARK: - Looking

extension ConnectionJudge {
    /// Looks at the server before the program connects, if ``looksFirst``.
    ///
    /// - Parameters:
    ///   - looker: The means to look at the server.
    ///   - isOnlyWay: `true` if the connection can use this address only. A failure on one of several addresses says nothing about
    ///     the others, so it is not remembered.
    func lookFirst(by looker: ServerLooker, isOnlyWay: Bool = true) async {
        let look = await looker.look()
        if look != nil || isOnlyWay { self.remember(look, by: looker) }
    }

    /// `true` if revocation or Certificate Transparency is judged and no recent look at the server is remembered.
    var looksFirst: Bool {
        let trust = self.settings.trust
        return self.settings.looksAtDeliveredEvidence && (trust.revocation.mode != .off || trust.transparency != nil)
            && !self.looks.isFresh
    }

    /// Returns a looker with the same offer as the connection.
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

    /// Five seconds, or half of the handshake's time if that is less.
    var lookTimeout: Duration { min(.seconds(5), self.settings.handshakeTimeout / 2) }

    /// Returns `true` if a look during the handshake may show something new. After a look that showed nothing, there is no other
    /// for a minute.
    func mayLook(at leaf: Certificate?) -> Bool {
        guard let leaf else { return false }
        return self.looks.look(at: leaf) == nil && !self.looks.hasJustFailed && !self.looks.hasJustMissed(leaf)
    }
}

// MARK: - Failed connections

extension ConnectionJudge {
    func error(_ failure: ConnectionFailure, cause: (any Error)? = nil) -> ServerTrustGateError {
        ServerTrustGateError(self.destination, self.requirements.verdict(on: .failed(failure)), cause: cause)
    }

    /// Returns the error for a failed handshake. A choice of the server that breaks the rules explains more than BoringSSL's error,
    /// so it takes precedence.
    func error(
        _ failure: ConnectionFailure, chosen choice: ServerChoice?, cause: (any Error)?
    ) -> ServerTrustGateError {
        guard let choice else { return self.error(failure, cause: cause) }
        let connection = ATSConnection(choice)
        guard !self.requirements.violations(ofTransport: connection).isEmpty else {
            return self.error(failure, cause: cause)
        }
        return ServerTrustGateError(self.destination, self.requirements.verdict(on: connection), cause: cause)
    }
}

/// The server's choices from its ServerHello.
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
