//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOPosix
package import ServerTrustNIO
import TLSProbe
import TLSWire

/// The chain that one address of a server presents.
package struct PresentedChainResult: Sendable {
    /// The address with its port, or `nil` if the name has one address or only one was probed.
    package let address: String?
    /// The chain with its delivered evidence. The error is a `ConnectionFailure` or a `TLSConnectionError`.
    package let outcome: Result<Presented, any Error>

    /// A chain with its delivered evidence.
    package struct Presented: Sendable {
        package let chain: PresentedChain
        package let delivered: DeliveredEvidence
        /// `true` if the server refused the ClientHello of Apple's systems with an alert, and this is its answer to a wider offer.
        package var refusesApple = false
    }
}

extension Prober {
    /// Obtains the chains of a server, with one connection to each of its addresses if that suffices.
    ///
    /// The first ClientHello is that of Apple's systems, and its answer is read up to the proof of the server's key. If that shows
    /// no chain, a TLS library with a wider offer completes a handshake.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - limit: The maximum number of addresses to probe.
    /// - Returns: The chain of each address, and the number of addresses that were not probed.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func presentations(
        of endpoint: TLSEndpoint, limit: Int
    ) async throws -> (presentations: [PresentedChainResult], unasked: Int) {
        let addresses = await self.addresses(of: endpoint, limit: limit)
        let presentations = try await addresses.asked.concurrentMap { address in
            do {
                let presented = try await address.prober.presented(by: endpoint)
                return PresentedChainResult(address: address.text, outcome: .success(presented))
            } catch let error as CancellationError {
                throw error
            } catch {
                return PresentedChainResult(address: address.text, outcome: .failure(error))
            }
        }
        return (presentations, addresses.unasked)
    }

    private func presented(by endpoint: TLSEndpoint) async throws -> PresentedChainResult.Presented {
        let end = ContinuousClock.now + self.configuration.bounded.timeoutPerHost
        // The limit of half the time leaves time for the second ClientHello.
        let first = self.configured { $0.timeout = min($0.timeout, $0.timeoutPerHost / 2) }
        let (result, address) = await first.exchange(with: endpoint) { exchange in
            (await exchange.handshake(offering: self.offer(exchange)), exchange.address)
        }
        try Task.checkCancellation()
        if let chain = PresentedChain(proving: result, at: address) {
            var delivered = DeliveredEvidence(ocspResponse: result.ocspResponse, timestamps: result.timestamps)
            (delivered.clientCertificateRequest, delivered.showsRequests) = (result.certificateRequest, true)
            return PresentedChainResult.Presented(chain: chain, delivered: delivered)
        }
        if let failure = result.failure, failure.isWithoutTLS { throw failure }
        let rest = self.configured { $0.endHost(at: end) }
        let protocols = self.applicationProtocols
        do {
            let chain = try await rest.exchange(with: endpoint) { try await $0.presentedChain(offering: protocols) }
            return PresentedChainResult.Presented(
                chain: chain, delivered: DeliveredEvidence(), refusesApple: result.failure?.isRefusal == true)
        } catch let error where Self.isOutOfTime(error) {
            // The result of the first ClientHello describes the progress more exactly.
            throw result.failure ?? error
        }
    }

    private static func isOutOfTime(_ error: any Error) -> Bool {
        switch (error as? TLSConnectionError)?.failure ?? error as? ConnectionFailure {
        case .timedOut: error is TLSConnectionError
        case .exhausted: true
        default: false
        }
    }

    func exchange<Answer: Sendable>(
        with endpoint: TLSEndpoint, _ body: (HostExchange) async throws -> Answer
    ) async rethrows -> Answer {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        return try await body(HostExchange(endpoint, self.configuration, traffic: self.traffic, on: eventLoop))
    }

    private func offer(_ exchange: HostExchange) -> HandshakeOffer {
        var offer = HandshakeOffer(everythingAfter: .apple)
        (offer.serverName, offer.applicationProtocols) = (exchange.serverName, self.applicationProtocols)
        return offer
    }
}

extension PresentedChain {
    /// Creates the chain of a flight with a signature that proves possession of the key. Returns `nil` for any other flight.
    fileprivate init?(proving result: HandshakeResult, at address: String?) {
        guard result.isKeyProven, result.failure == nil, !result.certificates.isEmpty else { return nil }
        self.init(
            certificates: result.certificates, handshake: .completed, protocolVersion: result.version,
            cipherSuite: result.cipherSuite, usesExtendedMasterSecret: result.usesExtendedMasterSecret,
            applicationProtocol: result.applicationProtocol, remoteAddress: address)
    }
}

extension ConnectionFailure {
    /// `true` if the server does not speak TLS or cannot be reached, so that no other ClientHello would help.
    fileprivate var isWithoutTLS: Bool {
        switch self {
        case .preamble, .startTLS, .notTLS, .exhausted, .cancelled: true
        default: self.isWithoutConnection
        }
    }
}
