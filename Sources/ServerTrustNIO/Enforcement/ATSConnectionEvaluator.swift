//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import ServerTrust
import TLSWire

/// Evaluates one connection by its requirements. The only place where App Transport Security is enforced.
struct ATSConnectionEvaluator: Sendable {
    let destination: ATSDestination
    let requirements: ATSRequirements
    /// The name or address that certificates must be for.
    let hostname: String
    private let trustPolicy: TrustPolicy
    private let anchors: TrustAnchors
    private let configuration: ATSEnforcement.Configuration

    init(
        _ enforcement: ATSEnforcement, _ destination: ATSDestination, requirements: ATSRequirements, hostname: String
    ) {
        self.destination = destination
        self.requirements = requirements
        self.hostname = hostname
        self.trustPolicy = requirements.trustPolicy(hostname: hostname)
        self.anchors = enforcement.anchors
        self.configuration = enforcement.configuration
    }

    /// Evaluates what a server chose and presented.
    ///
    /// - Parameters:
    ///   - certificates: What it presented, its own certificate first.
    ///   - hello: What it chose. Without it there is nothing that speaks for the connection.
    func evaluate(_ certificates: [NIOSSLCertificate], chosen hello: ServerHello?) -> Result<ATSVerdict, ATSError> {
        guard let hello else { return .failure(self.error(.protocolError)) }
        return self.evaluate(certificates) { trust in self.requirements.verdict(on: ATSConnection(hello, trust: trust))
        }
    }

    /// Evaluates what a server presented, where what it chose cannot be known: it is taken for what was offered. Whether keys
    /// older than TLS 1.3's are bound to the handshake is no matter of offering, and stays unknown.
    func evaluate(
        onlyCertificates certificates: [NIOSSLCertificate], onlyTLS13: Bool
    ) -> Result<ATSVerdict, ATSError> {
        let version = onlyTLS13 ? .tls13 : max(self.requirements.effectiveMinimumVersion ?? .tls13, .tls12)
        let suite = self.requirements.cipherSuites.first
        return self.evaluate(certificates) { trust in
            self.requirements.verdict(on: ATSConnection(version: version, cipherSuite: suite, trust: trust))
        }
    }

    private func evaluate(
        _ certificates: [NIOSSLCertificate], _ verdict: (TrustResult) -> ATSVerdict
    ) -> Result<ATSVerdict, ATSError> {
        let trust: Trust
        do {
            trust = try self.trust(in: certificates)
        } catch {
            return .failure(self.error(.protocolError, cause: error))
        }
        let verdict = verdict(trust.evaluate())
        let decision = self.configuration.evaluator?.evaluate(
            trust, forHost: self.hostname, port: self.destination.port)
        if let refusal = decision?.failure {
            return .failure(ATSError(self.destination, verdict, cause: refusal))
        }
        let isOverridden = decision != nil && verdict.isOverridable
        return verdict.isAllowed || isOverridden ? .success(verdict) : .failure(ATSError(self.destination, verdict))
    }

    /// The trust object to evaluate.
    private func trust(in certificates: [NIOSSLCertificate]) throws -> Trust {
        guard certificates.count <= self.configuration.maximumCertificateCount else { throw TooManyCertificates() }
        // Of what comes after the server's own, what cannot be read is as good as not sent.
        let leaf = try certificates.prefix(1).map { try Certificate(der: $0.toDERBytes()) }
        let others = certificates.dropFirst().compactMap { try? Certificate(der: $0.toDERBytes()) }
        var trust = try Trust(certificates: leaf + others, policy: self.trustPolicy, anchors: self.anchors)
        trust.publicSuffixes = self.configuration.publicSuffixes
        trust.revocation = self.configuration.revocation
        trust.signatureCache = self.configuration.signatureCache
        return trust
    }

    private struct TooManyCertificates: Error, CustomStringConvertible {
        let description = "The server sent more certificates than are accepted."
    }
}

// MARK: - Connections that do not come about

extension ATSConnectionEvaluator {
    func error(_ failure: ATSConnectionFailure, cause: (any Error)? = nil) -> ATSError {
        ATSError(self.destination, self.requirements.verdict(on: .failed(failure)), cause: cause)
    }

    /// The error for a handshake that failed: what the server chose says more than what BoringSSL said of it.
    func error(_ failure: ATSConnectionFailure, chosen hello: ServerHello?, cause: (any Error)?) -> ATSError {
        guard let hello else { return self.error(failure, cause: cause) }
        let connection = ATSConnection(hello, trust: nil)
        guard !self.requirements.violations(ofTransport: connection).isEmpty else {
            return self.error(failure, cause: cause)
        }
        return ATSError(self.destination, self.requirements.verdict(on: connection), cause: cause)
    }
}

extension ATSConnection {
    fileprivate init(_ hello: ServerHello, trust: TrustResult?) {
        self.init(
            version: hello.version, cipherSuite: hello.cipherSuite,
            usesExtendedMasterSecret: hello.usesExtendedMasterSecret, trust: trust)
    }
}
