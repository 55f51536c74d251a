//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import ServerTrust
package import ServerTrustNIO

extension HTTPSession {
    /// Looks up the addresses and ports to which a connection to a server may be made.
    ///
    /// The result is empty if a proxy is used, because the proxy resolves the name itself.
    ///
    /// - Parameter origin: The server.
    package func addresses(of origin: HTTPURL.Origin) async -> [SocketAddress] {
        let url = HTTPURL(origin, target: "/")
        guard let key = try? self.core.key(for: url, isAtOrigin: false), key.proxy == nil else { return [] }
        return await self.addresses(key).map { address in
            var address = address
            address.port = key.route?.port ?? origin.port
            return address
        }.filter { self.configuration.allowsAddress?($0) ?? true }
    }

    private func addresses(_ key: ConnectionKey) async -> [SocketAddress] {
        guard key.addresses.isEmpty else { return key.socketAddresses }
        let host = key.route?.host ?? key.origin.host
        let answer = await self.configuration.resolver.addresses(
            of: host.text, timeout: self.configuration.timeouts.connect)
        guard case .found(let addresses) = answer.outcome else { return [] }
        return addresses
    }
}
