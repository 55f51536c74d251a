//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOPosix

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
        self.resolver = resolver
        self.eventLoop = eventLoop
        self.isAllowed = isAllowed
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
        // An address takes no thread of tasks: all of them may be busy for longer than the time to connect.
        if let address = NameResolver.address(host) {
            return self.eventLoop.makeCompletedFuture {
                try self.addresses(.found([address]), of: host, port: port, protocol: `protocol`)
            }
        }
        let promise = self.eventLoop.makePromise(of: [SocketAddress].self)
        // A task that throws makes the optimizer of Swift 6.3.1 crash here.
        Task {
            let answer = await self.resolver.addresses(of: host, timeout: Self.timeout)
            promise.completeWith(
                Result { try self.addresses(answer.outcome, of: host, port: port, protocol: `protocol`) })
        }
        return promise.futureResult
    }

    private func addresses(
        _ outcome: NameLookupOutcome, of host: String, port: Int, protocol: NIOBSDSocket.ProtocolFamily
    ) throws -> [SocketAddress] {
        guard case .found(let addresses) = outcome else { throw UnknownHostError() }
        return try addresses.allowed(self.isAllowed, of: host, port: port).filter { $0.protocol == `protocol` }
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
    private let isAllowed: @Sendable (SocketAddress) -> Bool

    /// - Parameters:
    ///   - addresses: The addresses, without a port.
    ///   - eventLoop: The event loop of the connections.
    ///   - isAllowed: Whether an address, with its port, may be connected to.
    package init(
        _ addresses: [SocketAddress], on eventLoop: any EventLoop,
        allowing isAllowed: @escaping @Sendable (SocketAddress) -> Bool = { _ in true }
    ) {
        self.addresses = addresses
        self.eventLoop = eventLoop
        self.isAllowed = isAllowed
    }

    package func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(host, port, protocol: .inet)
    }

    package func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.query(host, port, protocol: .inet6)
    }

    package func cancelQueries() {}

    private func query(
        _ host: String, _ port: Int, protocol: NIOBSDSocket.ProtocolFamily
    ) -> EventLoopFuture<[SocketAddress]> {
        self.eventLoop.makeCompletedFuture {
            try self.addresses.allowed(self.isAllowed, of: host, port: port).filter { $0.protocol == `protocol` }
        }
    }
}

extension [SocketAddress] {
    /// The addresses of a host, with their port, that may be connected to.
    fileprivate func allowed(
        _ isAllowed: (SocketAddress) -> Bool, of host: String, port: Int
    ) throws(ForbiddenAddressError) -> [SocketAddress] {
        let allowed = self.map { $0.withPort(port) }.filter(isAllowed)
        guard !allowed.isEmpty || self.isEmpty else { throw ForbiddenAddressError(host: host) }
        return allowed
    }
}

extension SocketAddress {
    fileprivate func withPort(_ port: Int) -> SocketAddress {
        var address = self
        address.port = port
        return address
    }
}

/// A name has no address.
private struct UnknownHostError: Error {}
