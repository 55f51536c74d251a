//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TLSConnection {
    /// Connects to a server on a way of the caller's, shakes hands, and closes the connection.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - configuration: The offer and the limits.
    ///   - serverName: The name in server name indication; `nil` sends none.
    ///   - dialer: The way to the server.
    /// - Returns: The presented chain, whatever it is worth.
    /// - Throws: ``ConnectionFailure`` without a connection, ``TLSConnectionError`` without a chain.
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
