//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity

extension ServerTrustGate {
    /// Looks at a server before it is connected to, for what NIOSSL does not show, unless it was looked at before.
    ///
    /// Some servers serve one connection at a time, so that a look during the handshake would see nothing.
    ///
    /// - Parameters:
    ///   - destination: The server.
    ///   - dialer: The way of the connection.
    ///   - endpoint: Where it leads.
    package func look(at destination: ATSDestination, through dialer: Dialer, to endpoint: TLSEndpoint) async {
        guard destination.scheme == .https, let preparation = try? self.generation.preparation(for: destination) else {
            return
        }
        let judge = preparation.judge
        guard judge.looksFirst else { return }
        await judge.lookFirst(by: judge.looker(dialer, endpoint, serverName: preparation.serverName))
    }
}
