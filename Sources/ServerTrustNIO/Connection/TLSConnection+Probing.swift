//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

extension TLSConnection {
    /// Shakes hands over a connection that someone else opens, and closes it.
    ///
    /// - Parameters:
    ///   - endpoint: The server, for the words of errors.
    ///   - configuration: What to offer, and the limits.
    ///   - serverName: What is sent as server name indication; `nil` sends none.
    ///   - eventLoop: Where all of it happens.
    ///   - opening: Opens the connection.
    /// - Returns: The presented chain, whatever it is worth.
    package static func presentedChain(
        of endpoint: TLSEndpoint, configuration: Configuration, serverName: String?, on eventLoop: any EventLoop,
        opening: @escaping @Sendable (any EventLoop) -> EventLoopFuture<any Channel>
    ) async throws -> PresentedChain {
        try Task.checkCancellation()
        let attempt = HandshakeAttempt(
            endpoint: endpoint, configuration: configuration,
            context: try TLSContextCache.shared.context(for: configuration), deciding: { _ in true },
            opening: opening, serverName: .some(serverName))
        let outcome = attempt.start(on: eventLoop)
        return try await withTaskCancellationHandler {
            try await outcome.futureResult.get()
        } onCancel: {
            outcome.fail(CancellationError())
        }
    }
}
