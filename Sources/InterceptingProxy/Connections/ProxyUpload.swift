//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore
import Synchronization

/// The content of a request, which is read from the client only when the server takes it.
final class ProxyUpload: Sendable {
    private struct State {
        var expectsContinue: Bool
        var hasResponse = false
    }

    private let lane: any ClientLane
    private let state: Mutex<State>
    /// The server's acceptance of the requested protocol. `nil` if no other protocol was requested.
    private let agreement: EventLoopPromise<Bool>?

    init(_ lane: any ClientLane, expectsContinue: Bool, upgrades: Bool) {
        self.lane = lane
        self.state = Mutex(State(expectsContinue: expectsContinue))
        self.agreement = upgrades ? lane.eventLoop.makePromise() : nil
    }

    /// Reads a request without content to its end.
    func skip() async throws { _ = try await self.lane.nextContent() }

    /// The content, read piece by piece on demand.
    var octets: HTTPRequestBody.Octets { HTTPRequestBody.Octets { try await self.next() } }

    /// The trailer fields for the server, after all content was read.
    var trailers: HTTPFields { ForwardedFields.requestTrailers(self.lane.requestTrailers) }

    private func next() async throws -> ByteBuffer? {
        self.state.withLock { state in
            guard state.expectsContinue, !state.hasResponse else { return }
            state.expectsContinue = false
            // Sent within the lock, because after the response it would be taken for a part of the next one.
            self.lane.send(informational: 100, [:])
        }
        return try await self.lane.nextContent()
    }

    // MARK: Other protocols

    /// Stores if the server accepts the requested protocol. Only the first call counts.
    func agree(_ isAgreed: Bool) { self.agreement?.succeed(isAgreed) }

    /// The octets of the requested protocol after the server has accepted it. Empty if the server does not.
    var upgradedOctets: HTTPRequestBody.Octets { HTTPRequestBody.Octets { try await self.nextUpgraded() } }

    private func nextUpgraded() async throws -> ByteBuffer? {
        guard let agreement, try await agreement.futureResult.get() else { return nil }
        // The end of the client ends both directions, and the connection to the server closes.
        guard let octets = try await self.lane.nextOctets() else { throw ChannelError.eof }
        return octets
    }

    /// Marks the start of the response, after which 100 (Continue) is not sent.
    func beginResponse() { self.state.withLock { $0.hasResponse = true } }
}
