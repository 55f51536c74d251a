//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import NIOCore

/// The way to another connection to the server of a handshake.
package enum LookingWay: Sendable {
    /// There is none: another protocol was spoken before TLS, or a proxy passes the octets.
    case none
    /// To the address that the channel is connected to, where TLS begins at once.
    case address
    /// The same, unless the channel was connected before TLS was added: something else may have been said by then.
    case addressOfNewConnection
    /// The way that the connection itself was opened.
    case same(@Sendable () async throws -> any Channel)

    /// What opens another connection; `nil` where there is no way.
    func dial(
        _ destination: ATSDestination, at address: SocketAddress?, on eventLoop: any EventLoop, timeout: Duration
    ) -> (@Sendable () async throws -> any Channel)? {
        switch self {
        case .none: return nil
        case .same(let dial): return dial
        case .address, .addressOfNewConnection:
            guard let address, let port = address.port else { return nil }
            return {
                var dialer = Dialer(on: eventLoop, connectTimeout: TimeAmount(bounding: timeout))
                dialer.addresses = [address]
                return try await dialer.dial(TLSEndpoint(host: destination.host, port: port)).get()
            }
        }
    }
}
