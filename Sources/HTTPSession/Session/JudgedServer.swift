//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import NIOCore
import NIOPosix
package import ServerTrust
package import ServerTrustNIO

/// A server that the gate let through, and where it was reached.
package struct JudgedServer: Sendable {
    /// The verdict, with what was agreed on.
    package let gated: GatedConnection
    /// The address and the port that were connected to.
    package let address: SocketAddress
    /// The certificate that the server showed.
    package let leaf: Certificate

    /// A server that was judged.
    package init(gated: GatedConnection, address: SocketAddress, leaf: Certificate) {
        (self.gated, self.address, self.leaf) = (gated, address, leaf)
    }
}

extension HTTPSession {
    /// Connects to a server, has the gate judge it, and closes the connection: for programs that speak TLS with it themselves. It
    /// is shown no certificate of the client.
    ///
    /// - Parameter origin: The server, with TLS.
    /// - Throws: ``HTTPSessionError``, also where a proxy stands between: it decides which address is reached.
    package func judge(_ origin: HTTPURL.Origin) async throws(HTTPSessionError) -> JudgedServer {
        let url = HTTPURL(origin, target: "/")
        try self.core.requireUsableProxy(for: url)
        let key = self.core.key(for: url, isAtOrigin: false)
        guard key.proxy == nil, origin.scheme == .https else {
            throw HTTPSessionError(
                .proxy, .cannotConnectToHost, url: url, reason: "The address of a server behind a proxy is not known.")
        }
        do {
            let timeout = SessionCore.bounded(self.configuration.timeouts.connect)
            let connection = try await self.core.open(
                key, url, on: MultiThreadedEventLoopGroup.singleton.any(), until: .now() + timeout)
            connection.close()
            guard let address = connection.report.remoteAddress, let leaf = connection.report.gated.leaf else {
                throw ChannelError.ioOnClosedChannel
            }
            return JudgedServer(gated: connection.report.gated, address: address, leaf: leaf)
        } catch {
            throw self.core.sessionError(error, at: url)
        }
    }

    /// The addresses, with their port, that a connection to a server may go to; none behind a proxy, which looks them up.
    ///
    /// - Parameter origin: The server.
    package func addresses(of origin: HTTPURL.Origin) async -> [SocketAddress] {
        let url = HTTPURL(origin, target: "/")
        let key = self.core.key(for: url, isAtOrigin: false)
        guard key.proxy == nil, (try? self.core.requireUsableProxy(for: url)) != nil else { return [] }
        return await self.addresses(key).map { address in
            var address = address
            address.port = key.route?.port ?? origin.port
            return address
        }.filter { self.configuration.allowsAddress?($0) ?? true }
    }

    private func addresses(_ key: ConnectionKey) async -> [SocketAddress] {
        guard key.addresses.isEmpty else { return key.socketAddresses }
        let host = key.route?.host ?? key.origin.host
        let answer = await NameResolver.system.addresses(of: host.text, timeout: self.configuration.timeouts.connect)
        guard case .found(let addresses) = answer.outcome else { return [] }
        return addresses
    }
}
