//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
package import ServerTrust
import Synchronization

/// Gets a file over HTTPS from a server that this package judges; redirects are followed to HTTPS alone.
package struct HTTPSDownload: Sendable {
    private let judge: @Sendable ([Certificate], Host) -> String?
    private let addresses: AddressRule
    private let timeout: Duration

    private static let maximumRedirects = 5
    private static let maximumHeaderSize = 16 << 10
    private static let connectTimeout = Duration.seconds(10)

    /// A download.
    ///
    /// - Parameters:
    ///   - timeout: The time for all of it.
    ///   - allowsLocalAddresses: Whether private and loopback addresses may be connected to.
    ///   - judge: Why the certificates of a server, its own first, are not trusted for it; `nil` where they are.
    package init(
        timeout: Duration, allowsLocalAddresses: Bool, judge: @escaping @Sendable ([Certificate], Host) -> String?
    ) {
        self.judge = judge
        self.timeout = timeout
        self.addresses = AddressRule(allowsLocalAddresses: allowsLocalAddresses, allowedAddresses: [])
    }

    /// Gets a file.
    ///
    /// - Parameters:
    ///   - url: Its address, of `https`.
    ///   - maximumSize: The most octets it may have.
    /// - Throws: ``ResourceError``, with the reason why a server is not trusted.
    package func contents(of url: String, maximumSize: Int) async throws(ResourceError) -> [UInt8] {
        var deadline = NIODeadline.now() + TimeAmount(bounding: self.timeout)
        var location = try HTTPURL(named: url, schemes: [.https])
        for _ in 0...Self.maximumRedirects {
            let answer = try await self.answer(at: location, maximumSize: maximumSize, until: &deadline)
            if answer.status == 200 { return answer.body }
            guard let places = answer.places, places.count == 1, let place = places.first else {
                throw ResourceError(.badAnswer, "\(location.host) answers with status \(answer.status)")
            }
            do { location = try location.resolving(place) } catch { throw ResourceError(.invalidURL, error.reason) }
            guard location.scheme == .https else {
                throw ResourceError(.invalidURL, "it redirects to an address without TLS")
            }
        }
        throw ResourceError(.badAnswer, "it redirects more than \(Self.maximumRedirects) times")
    }

    private func answer(
        at location: HTTPURL, maximumSize: Int, until deadline: inout NIODeadline
    ) async throws(ResourceError) -> HTTPAnswer {
        let found = try await NameResolver.system.addresses(
            of: location.host.text, until: &deadline, patience: self.timeout)
        let connection = JudgedConnection(
            host: location.host.text, found: found, port: location.port, addresses: self.addresses,
            connectTimeout: Self.connectTimeout, deadline: deadline)
        let exchange = OneTimeExchange(
            url: location, maximumHeaderSize: Self.maximumHeaderSize, maximumSize: maximumSize)
        let refusal = Refusal()
        do {
            return try await connection.run { channel in
                channel.eventLoop.makeCompletedFuture {
                    let endpoint = try TLSEndpoint(host: location.host.text, port: location.port)
                    try JudgedTLS(endpoint: endpoint) { self.accepts($0, from: location.host, refusal) }
                        .start(on: channel)
                }.flatMap { exchange.run(on: channel) }
            }
        } catch {
            guard let reason = refusal.reason else { throw error }
            throw ResourceError(.badAnswer, "\(location.host) is not trusted: \(reason)")
        }
    }

    private func accepts(_ chain: [[UInt8]], from host: Host, _ refusal: Refusal) -> Bool {
        do {
            refusal.reason =
                chain.count > JudgedTLS.maximumCertificateCount
                ? "it sent too many certificates" : self.judge(try chain.map { try Certificate(der: $0) }, host)
        } catch {
            refusal.reason = "\(error)"
        }
        return refusal.reason == nil
    }
}

/// Why a server was refused, if it was: NIOSSL's own error says nothing about it.
private final class Refusal: Sendable {
    private let state = Mutex<String?>(nil)

    var reason: String? {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}
