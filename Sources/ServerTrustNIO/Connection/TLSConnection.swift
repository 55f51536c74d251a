//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Logging
import NIOCore
import NIOPosix
import NIOSSL
import TLSWire

/// Short connections to TLS servers that obtain their chains.
///
/// Use them to inspect a server, not to send it data: the chain is not evaluated.
///
/// ```swift
/// let endpoint = try TLSEndpoint(parsing: "example.com")
/// let chain = try await TLSConnection.presentedChain(of: endpoint)
/// ```
public enum TLSConnection {
    /// Connects to a server, asks the caller to decide about its chain, and closes the connection.
    ///
    /// The chain is returned whatever the decision, and also if the handshake fails after the certificates have arrived: see
    /// ``PresentedChain/handshake``. No data is sent beyond the handshake. Cancelling the task ends the connection and throws
    /// `CancellationError`.
    ///
    /// - Warning: `deciding` is called on the event loop, at most once, and other connections wait while it runs. It may compute
    ///   for some milliseconds, but must not block, wait or do input and output. No other check is made of the chain: its
    ///   signatures, its dates and the name have not been verified.
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - configuration: The offer and the limits.
    ///   - logger: Receives the result of the connection, at level `debug`.
    ///   - deciding: Takes the presented certificates in DER, the server's own first, and returns `true` to complete the handshake.
    /// - Returns: The presented chain.
    /// - Throws: ``TLSConnectionError`` if there is no chain to return. `NIOSSLError` or `BoringSSLError` if the configuration is
    ///   unusable.
    public static func presentedChain(
        of endpoint: TLSEndpoint,
        configuration: Configuration = Configuration(),
        logger: Logger? = nil,
        deciding: @escaping @Sendable ([[UInt8]]) -> Bool = { _ in true }
    ) async throws -> PresentedChain {
        let attempt = HandshakeAttempt(
            endpoint: endpoint, configuration: configuration,
            context: try configuration.context(), deciding: deciding,
            dialer: Dialer(
                on: MultiThreadedEventLoopGroup.singleton.any(), connectTimeout: configuration.timeAmount))
        let chain: PresentedChain
        do {
            chain = try await attempt.run()
        } catch {
            logger?.debug("no chain", metadata: ["endpoint": "\(endpoint)", "error": "\(error)"])
            guard let failure = error as? ConnectionFailure else { throw error }
            throw TLSConnectionError(endpoint, failure)
        }
        logger?.debug("chain", metadata: ["endpoint": "\(endpoint)", "certificates": "\(chain.certificates.count)"])
        return chain
    }
}
