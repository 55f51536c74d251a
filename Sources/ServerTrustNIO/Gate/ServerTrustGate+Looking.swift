//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity

extension ServerTrustGate {
    /// Looks at a server before connecting to it, for the evidence that NIOSSL does not show, unless a recent look is remembered.
    ///
    /// Some servers serve one connection at a time, so a look during the handshake would see nothing.
    ///
    /// - Parameters:
    ///   - destination: The server.
    ///   - dialer: The dialer of the connection.
    ///   - endpoint: The endpoint of the connection.
    package func look(at destination: ATSDestination, through dialer: Dialer, to endpoint: TLSEndpoint) async {
        guard destination.scheme == .https, let preparation = try? self.generation.preparation(for: destination) else {
            return
        }
        let judge = preparation.judge
        guard judge.looksFirst else { return }
        await judge.lookFirst(by: judge.looker(dialer, endpoint, serverName: preparation.serverName))
    }
}
