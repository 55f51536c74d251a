//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import NIOSSL
import ServerTrust

// For libraries that have a TLS handler of their own and take a callback, such as gRPC's transport.
//
// A callback sees certificates and nothing else. What was agreed on, the version, the cipher suite and the extended master
// secret, is as good as what the library offers.
extension ServerTrustGate {
    /// What a configuration of TLS is to be so that it offers what is required, for libraries that add the handler.
    ///
    /// It leaves trust to a callback: without ``customVerificationCallback(for:onlyTLS13:refusal:)`` every server fails.
    ///
    /// - Parameter destination: What is asked for.
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

    /// A callback that judges certificates by the settings of this gate at the time of each connection.
    ///
    /// ```swift
    /// let tls = try NIOSSLClientHandler(
    ///     context: context, serverHostname: host,
    ///     customVerificationCallback: try gate.customVerificationCallback(for: destination))
    /// ```
    ///
    /// - Warning: A callback sees certificates and nothing else. What was agreed on, the version, the cipher suite and the
    ///   extended master secret, is not checked; it is as good as what the library offers: see ``tlsConfiguration(for:)``.
    ///   Where the extended master secret is required (FCP_v2.1) everything is refused, unless only TLS 1.3 is offered.
    ///   Where there is a pipeline, `addServerTrustHandlers` checks everything.
    /// - Parameters:
    ///   - destination: What is asked for.
    ///   - onlyTLS13: Whether the library offers nothing older than TLS 1.3.
    ///   - refusal: Hears why a server is refused, on the event loop; NIOSSL's own error does not say it.
    /// - Returns: The callback. It computes on the event loop, for less than a millisecond.
    /// - Throws: ``ServerTrustGateError`` if there can be no such connection; ``TLSEndpointError`` if the host is no host;
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

    /// The same callback for libraries that want the chain that was verified, such as gRPC's transport for swift-nio:
    ///
    /// ```swift
    /// .tls {
    ///     $0.serverCertificateVerification = .noHostnameVerification
    ///     $0.customVerificationCallback = callback
    /// }
    /// ```
    ///
    /// - Warning: As of ``customVerificationCallback(for:onlyTLS13:refusal:)``.
    /// - Parameters:
    ///   - destination: What is asked for.
    ///   - onlyTLS13: Whether the library offers nothing older than TLS 1.3.
    ///   - refusal: Hears why a server is refused, on the event loop; NIOSSL's own error does not say it.
    /// - Returns: The callback.
    /// - Throws: As ``customVerificationCallback(for:onlyTLS13:refusal:)``.
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

    /// Not from within BoringSSL: the program may close the connection.
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

/// Judges what a callback is given.
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
