//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import NIOSSL
import ServerTrust

// For libraries that have a TLS handler of their own and take a callback, such as gRPC's transport.
extension ATSEnforcement {
    /// What a configuration of TLS is to be so that it offers what is required, for libraries that add the handler.
    ///
    /// It leaves trust to a callback: without ``customVerificationCallback(for:onlyTLS13:refusal:)`` every server fails.
    ///
    /// - Parameter destination: What is asked for.
    /// - Throws: ``ATSError`` if plain HTTP is refused or nothing can be offered.
    public func tlsConfiguration(for destination: ATSDestination) throws(ATSError) -> TLSConfiguration {
        let requirements = try self.check(destination)
        do {
            return try ATSOffer(requirements).configuration(basedOn: self.configuration.tls)
        } catch {
            throw ATSError(destination, requirements.verdict(on: .failed(.nothingInCommon)), cause: error)
        }
    }

    /// A callback that judges certificates as App Transport Security demands it: trust, the host, keys, digests and pins, and
    /// ``Configuration/evaluator``.
    ///
    /// ```swift
    /// $0.customVerificationCallback = security.customVerificationCallback(for: destination)
    /// ```
    ///
    /// - Warning: A callback sees certificates and nothing else. What was agreed on, the version, the cipher suite and the
    ///   extended master secret, is not checked; it is as good as what the library offers: see ``tlsConfiguration(for:)``.
    ///   Where the extended master secret is required (FCP_v2.1) everything is refused, unless only TLS 1.3 is offered.
    ///   Where there is a pipeline, `addATSHandlers` checks everything.
    /// - Parameters:
    ///   - destination: What is asked for.
    ///   - onlyTLS13: Whether the library offers nothing older than TLS 1.3.
    ///   - refusal: Hears why a server is refused, on the event loop; NIOSSL's own error does not say it.
    /// - Returns: The callback. It computes on the event loop, for less than a millisecond.
    /// - Throws: ``ATSError`` if there can be no such connection; ``TLSEndpointError`` if the host is no host.
    public func customVerificationCallback(
        for destination: ATSDestination, onlyTLS13: Bool = false,
        refusal: (@Sendable (ATSError) -> Void)? = nil
    ) throws -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void {
        let requirements = try self.check(destination)
        let endpoint = try TLSEndpoint(host: destination.host, port: destination.port)
        let evaluator = ATSConnectionEvaluator(
            self, destination, requirements: requirements, hostname: endpoint.host.text)
        return { certificates, verdict in
            switch evaluator.evaluate(onlyCertificates: certificates, onlyTLS13: onlyTLS13) {
            case .success: verdict.succeed(.certificateVerified)
            case .failure(let error):
                refusal?(error)
                verdict.fail(error)
            }
        }
    }
}
