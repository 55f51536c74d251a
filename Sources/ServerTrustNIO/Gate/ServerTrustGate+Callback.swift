//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import NIOSSL
import ServerTrust
import TLSWire

// For libraries that have a TLS handler of their own and take a callback, such as gRPC's transport.
//
// A callback sees only certificates. The negotiated version, cipher suite and extended master secret are as safe as the offer of
// the library.
extension ServerTrustGate {
    /// Returns a TLS configuration with the offer that the gate requires, for libraries that add the TLS handler themselves.
    ///
    /// The configuration leaves trust to a callback: without ``customVerificationCallback(for:onlyTLS13:refusal:)`` every server
    /// fails.
    ///
    /// - Parameter destination: The destination of the request.
    /// - Throws: ``ServerTrustGateError`` if plain HTTP is refused or nothing can be offered.
    public func tlsConfiguration(
        for destination: ATSDestination
    ) throws(ServerTrustGateError) -> TLSConfiguration {
        let generation = self.generation
        let requirements = try generation.check(destination)
        do {
            return try TLSOffer(requirements).configuration(basedOn: generation.settings.tls)
        } catch {
            throw ServerTrustGateError(destination, requirements.verdict(on: .failed(.nothingInCommon)), cause: error)
        }
    }

    /// Returns a callback that judges certificates by the settings of this gate at the time of each connection.
    ///
    /// ```swift
    /// let tls = try NIOSSLClientHandler(
    ///     context: context, serverHostname: host,
    ///     customVerificationCallback: try gate.customVerificationCallback(for: destination))
    /// ```
    ///
    /// - Warning: A callback sees only certificates: no stapled OCSP responses, and no timestamps that come with them. A stapled
    ///   “revoked” refuses no server there. It cannot check the negotiated version, cipher suite and extended master
    ///   secret. They are as safe as the offer of the library: see ``tlsConfiguration(for:)``. If the extended master secret is
    ///   required (FCP_v2.1), every server is refused unless only TLS 1.3 is offered. If you have the pipeline, use
    ///   `addServerTrustHandlers`, which checks everything.
    /// - Parameters:
    ///   - destination: The destination of the request.
    ///   - onlyTLS13: `true` if the library offers nothing older than TLS 1.3.
    ///   - refusal: Called on the event loop with the reason if a server is refused. NIOSSL's own error does not contain it.
    /// - Returns: The callback. It computes on the event loop for less than a millisecond.
    /// - Throws: ``ServerTrustGateError`` if no such connection is allowed. ``TLSEndpointError`` if the host is invalid.
    ///   ``ServerTrustPeerCheckError`` if the settings have a handler, which needs a connection of the gate.
    public func customVerificationCallback(
        for destination: ATSDestination, onlyTLS13: Bool = false,
        refusal: (@Sendable (ServerTrustGateError) -> Void)? = nil
    ) throws -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void {
        let judge = try self.callbackJudge(for: destination, onlyTLS13: onlyTLS13)
        return { certificates, promise in
            judge(certificates, on: promise.futureResult.eventLoop).whenComplete { outcome in
                switch outcome {
                case .success: promise.succeed(.certificateVerified)
                case .failure(let error):
                    Self.tell(refusal, error, on: promise.futureResult.eventLoop)
                    promise.fail(error)
                }
            }
        }
    }

    /// Returns the same callback for libraries that need the verified chain, such as gRPC's transport for swift-nio.
    ///
    /// ```swift
    /// .tls {
    ///     $0.serverCertificateVerification = .noHostnameVerification
    ///     $0.customVerificationCallback = callback
    /// }
    /// ```
    ///
    /// - Warning: The limits of ``customVerificationCallback(for:onlyTLS13:refusal:)`` apply.
    /// - Parameters:
    ///   - destination: The destination of the request.
    ///   - onlyTLS13: `true` if the library offers nothing older than TLS 1.3.
    ///   - refusal: Called on the event loop with the reason if a server is refused. NIOSSL's own error does not contain it.
    /// - Returns: The callback.
    /// - Throws: The errors of ``customVerificationCallback(for:onlyTLS13:refusal:)``.
    public func customVerificationCallbackWithMetadata(
        for destination: ATSDestination, onlyTLS13: Bool = false,
        refusal: (@Sendable (ServerTrustGateError) -> Void)? = nil
    ) throws -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void {
        let judge = try self.callbackJudge(for: destination, onlyTLS13: onlyTLS13)
        return { certificates, promise in
            judge(certificates, on: promise.futureResult.eventLoop).whenComplete { outcome in
                switch outcome {
                case .success(let connection):
                    promise.succeed(.certificateVerified(VerificationMetadata(connection.result?.validatedChain)))
                case .failure(let error):
                    Self.tell(refusal, error, on: promise.futureResult.eventLoop)
                    promise.fail(error)
                }
            }
        }
    }

    /// Reports a refusal in a later turn of the event loop, not from within BoringSSL, because the program may close the
    /// connection.
    private static func tell(
        _ refusal: (@Sendable (ServerTrustGateError) -> Void)?, _ error: any Error, on eventLoop: any EventLoop
    ) {
        guard let refusal, let error = error as? ServerTrustGateError else { return }
        eventLoop.execute { refusal(error) }
    }

    private func callbackJudge(for destination: ATSDestination, onlyTLS13: Bool) throws -> CallbackJudge {
        guard self.settings.handler == nil else { throw ServerTrustPeerCheckError(.handler) }
        try self.check(destination)
        let endpoint = try TLSEndpoint(host: destination.host, port: destination.port)
        return CallbackJudge(
            gate: self, destination: destination, hostname: endpoint.host.text, onlyTLS13: onlyTLS13)
    }
}

/// The judge of a callback's certificates.
private struct CallbackJudge: Sendable {
    let gate: ServerTrustGate
    let destination: ATSDestination
    let hostname: String
    let onlyTLS13: Bool

    func callAsFunction(
        _ certificates: [NIOSSLCertificate], on eventLoop: any EventLoop
    ) -> EventLoopFuture<GatedConnection> {
        let generation = self.gate.generation
        let judgment: ConnectionJudgment
        do {
            // A callback cannot stop the reading while a handler decides, which may take long.
            guard generation.settings.handler == nil else { throw ServerTrustPeerCheckError(.handler) }
            let judge = ConnectionJudge(
                generation.settings, self.destination, requirements: try generation.check(self.destination),
                hostname: self.hostname)
            judgment = try judge.judge(onlyCertificates: certificates, onlyTLS13: self.onlyTLS13)
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        return eventLoop.makeCompletedFuture {
            guard judgment.mayChangeByFetching, case .failure(let refusal) = judgment.outcome, refusal.cause == nil
            else {
                return try judgment.outcome.get()
            }
            throw ServerTrustGateError(refusal.destination, refusal.verdict, cause: NothingFetched())
        }
    }
}
