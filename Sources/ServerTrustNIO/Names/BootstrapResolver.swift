//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOPosix

/// A ``NameResolver`` for NIO's bootstraps, which by default resolve names on threads that the whole program shares.
package struct BootstrapResolver: Resolver, Sendable {
    /// An hour, longer than any connect timeout. The bootstrap's own timeout ends the attempt.
    private static let timeout = Duration.seconds(3_600)

    private let resolver: NameResolver
    private let eventLoop: any EventLoop
    private let isAllowed: @Sendable (SocketAddress) -> Bool

    /// Creates a resolver for the connections of one event loop.
    ///
    /// - Parameters:
    ///   - resolver: The resolver of names.
    ///   - eventLoop: The event loop.
    ///   - isAllowed: Returns `true` if an address, with its port, may be connected to. If no address of a host may be, the query
    ///     fails with ``ForbiddenAddressError``.
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

    /// Does nothing: a running query cannot be cancelled, and its answer is dropped.
    package func cancelQueries() {}

    private func query(
        _ host: String, _ port: Int, protocol: NIOBSDSocket.ProtocolFamily
    ) -> EventLoopFuture<[SocketAddress]> {
        // An address needs no task. The threads of tasks may all be busy for longer than the connect timeout.
        if let address = NameResolver.address(host) {
            return self.eventLoop.makeCompletedFuture {
                try self.addresses(.found([address]), of: host, port: port, protocol: `protocol`)
            }
        }
        let promise = self.eventLoop.makePromise(of: [SocketAddress].self)
        // A throwing task makes the optimizer of Swift 6.3.1 crash here.
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

/// The error for a host of which no address may be connected to.
package struct ForbiddenAddressError: Error, Sendable, Hashable {
    package let host: String
}

/// A resolver for NIO's bootstraps that returns known addresses. Several addresses are tried as in RFC 8305.
package struct KnownAddresses: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop
    private let isAllowed: @Sendable (SocketAddress) -> Bool

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - addresses: The addresses, without a port.
    ///   - eventLoop: The event loop of the connections.
    ///   - isAllowed: Returns `true` if an address, with its port, may be connected to.
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
    /// Returns the allowed addresses, with the port.
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

/// The error for a name without an address.
private struct UnknownHostError: Error {}
