//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore

/// The way to another connection to the server of a handshake.
package enum LookingWay: Sendable {
    /// No way: another protocol was spoken before TLS, or a proxy passes the octets.
    case none
    /// To the address that the channel is connected to, where TLS begins at once.
    case address
    /// The same, unless the channel was connected before TLS was added: something else may have been said by then.
    case addressOfNewConnection
    /// The way that the connection itself was opened.
    case same(Dialer, TLSEndpoint)

    /// What opens another connection; `nil` where there is no way.
    func dialer(
        to destination: ATSDestination, at address: SocketAddress?, on eventLoop: any EventLoop, timeout: Duration
    ) -> (dialer: Dialer, endpoint: TLSEndpoint)? {
        switch self {
        case .none: return nil
        case .same(let dialer, let endpoint): return (dialer, endpoint)
        case .address, .addressOfNewConnection:
            guard Dialer.isPossible(on: eventLoop), let address, let port = address.port,
                let endpoint = try? TLSEndpoint(host: destination.host, port: port)
            else { return nil }
            var dialer = Dialer(on: eventLoop, connectTimeout: TimeAmount(bounding: timeout))
            dialer.addresses = [address]
            return (dialer, endpoint)
        }
    }
}
