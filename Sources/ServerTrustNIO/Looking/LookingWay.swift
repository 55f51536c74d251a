//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore

/// The way to open another connection to the server of a handshake.
package enum LookingWay: Sendable {
    /// No way, because another protocol was spoken before TLS, or a proxy relays the octets.
    case none
    /// A connection to the channel's remote address, where TLS begins at once.
    case address
    /// A connection to the channel's remote address, unless the channel was connected before TLS was added. Another protocol may
    /// have been spoken on it by then.
    case addressOfNewConnection
    /// The dialer and the endpoint of the connection itself.
    case same(Dialer, TLSEndpoint)

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
