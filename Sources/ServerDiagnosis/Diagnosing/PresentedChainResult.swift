//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOPosix
package import ServerTrustNIO
import TLSProbe
import TLSWire

/// What one address of a server presents.
package struct PresentedChainResult: Sendable {
    /// The address with its port; `nil` where the name has one address, or one was asked.
    package let address: String?
    /// The chain, and what was delivered beside it; the error is a ``ConnectionFailure`` or a `TLSConnectionError`.
    package let outcome: Result<Presented, any Error>

    /// A chain, and what was delivered beside it.
    package struct Presented: Sendable {
        package let chain: PresentedChain
        package let delivered: DeliveredEvidence
        /// Whether the server refused the hello of Apple's systems with an alert, and this is what it answered to more.
        package var refusesApple = false
    }
}

extension Prober {
    /// Looks at what a server presents, with one connection to each of its addresses where that shows it.
    ///
    /// The first hello is that of Apple's systems, and its answer is read as far as the server proves its key. Where that shows
    /// no chain, a library that offers more completes a handshake.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - limit: How many addresses are asked.
    /// - Returns: What each address presents, and how many addresses the name has besides.
    /// - Throws: `CancellationError` when the task is cancelled.
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
        // A server that gives no answer to the first hello still has time for the second.
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
            // The first hello says more exactly how far the server came.
            throw result.failure ?? error
        }
    }

    private static func isOutOfTime(_ error: any Error) -> Bool {
        (error as? TLSConnectionError)?.code == .timedOut || (error as? ConnectionFailure) == .exhausted
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
    /// The chain of a flight whose signature proves the key; `nil` for others.
    fileprivate init?(proving result: HandshakeResult, at address: String?) {
        guard result.isKeyProven, result.failure == nil, !result.certificates.isEmpty else { return nil }
        self.init(
            certificates: result.certificates, handshake: .completed, protocolVersion: result.version,
            cipherSuite: result.cipherSuite, usesExtendedMasterSecret: result.usesExtendedMasterSecret,
            applicationProtocol: result.applicationProtocol, remoteAddress: address)
    }
}

extension ConnectionFailure {
    /// Whether there is no server that speaks TLS, so that no other hello finds one.
    fileprivate var isWithoutTLS: Bool {
        switch self {
        case .preamble, .startTLS, .notTLS, .exhausted, .cancelled: true
        default: self.isWithoutConnection
        }
    }
}
