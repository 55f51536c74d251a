//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TLSConnection {
    /// Connects to a server through a dialer, completes the handshake, and closes the connection.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - configuration: The offer and the limits.
    ///   - serverName: The name for server name indication, or `nil` to send none.
    ///   - dialer: The dialer for the connection.
    /// - Returns: The presented chain, which is not evaluated.
    /// - Throws: `ConnectionFailure` if there is no connection, ``TLSConnectionError`` if there is no chain.
    package static func presentedChain(
        of endpoint: TLSEndpoint, configuration: Configuration, serverName: String?, through dialer: Dialer
    ) async throws -> PresentedChain {
        try await HandshakeAttempt(
            endpoint: endpoint, configuration: configuration,
            context: try configuration.context(), deciding: { _ in true },
            dialer: dialer, serverName: .some(serverName)
        ).run()
    }
}
