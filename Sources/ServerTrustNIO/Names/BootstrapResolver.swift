//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOPosix

/// A ``NameResolver`` as NIO's bootstraps ask one, who otherwise look names up on threads that all of a program shares.
package struct BootstrapResolver: Resolver, Sendable {
    /// More than any time to connect: the bootstrap's own ends the attempt.
    private static let timeout = Duration.seconds(3_600)

    private let resolver: NameResolver
    private let eventLoop: any EventLoop
    private let isAllowed: @Sendable (SocketAddress) -> Bool

    /// A resolver for the connections of one event loop.
    ///
    /// - Parameters:
    ///   - resolver: Looks names up.
    ///   - eventLoop: The event loop.
    ///   - isAllowed: Whether an address, with its port, may be connected to. Without one that may be, there is
    ///     ``ForbiddenAddressError``.
    package init(
        _ resolver: NameResolver = .system, on eventLoop: any EventLoop,
        allowing isAllowed: @escaping @Sendable (SocketAddress) -> Bool = { _ in true }
    ) {
        (self.resolver, self.eventLoop, self.isAllowed) = (resolver, eventLoop, isAllowed)
    }

    package func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(host, port, protocol: .inet)
    }

    package func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(host, port, protocol: .inet6)
    }

    /// A look-up cannot be called off; its answer is dropped.
    package func cancelQueries() {}

    private func query(
        _ host: String, _ port: Int, protocol: NIOBSDSocket.ProtocolFamily
    ) -> EventLoopFuture<[SocketAddress]> {
        self.eventLoop.makeFutureWithTask {
            guard case .found(let addresses) = await self.resolver.addresses(of: host, timeout: Self.timeout).outcome
            else { throw SocketAddressError.unknown(host: host, port: port) }
            let allowed = addresses.map { $0.withPort(port) }.filter(self.isAllowed)
            guard !allowed.isEmpty || addresses.isEmpty else { throw ForbiddenAddressError(host: host) }
            return allowed.filter { $0.protocol == `protocol` }
        }
    }
}

/// A host all of whose addresses are ones that the program does not connect to.
package struct ForbiddenAddressError: Error, Sendable, Hashable {
    /// The name, or the address.
    package let host: String
}

/// Addresses that are known, as NIO's bootstraps ask for them: several are tried as RFC 8305 says.
package struct KnownAddresses: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    /// - Parameters:
    ///   - addresses: The addresses, without a port.
    ///   - eventLoop: The event loop of the connections.
    package init(_ addresses: [SocketAddress], on eventLoop: any EventLoop) {
        self.addresses = addresses
        self.eventLoop = eventLoop
    }

    package func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(port, protocol: .inet)
    }

    package func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(port, protocol: .inet6)
    }

    package func cancelQueries() {}

    private func query(_ port: Int, protocol: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        self.eventLoop.makeSucceededFuture(
            self.addresses.filter { $0.protocol == `protocol` }.map { $0.withPort(port) })
    }
}

extension SocketAddress {
    fileprivate func withPort(_ port: Int) -> SocketAddress {
        var address = self
        address.port = port
        return address
    }
}
