//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore
import Synchronization

/// The content of one request, as the server takes it: nothing is read from the client before.
final class ProxyUpload: Sendable {
    private struct State {
        var expectsContinue: Bool
        var hasResponse = false
    }

    private let lane: any ClientLane
    private let state: Mutex<State>
    /// Whether the server speaks the protocol that was asked for; `nil` where HTTP was.
    private let agreement: EventLoopPromise<Bool>?

    init(_ lane: any ClientLane, expectsContinue: Bool, upgrades: Bool) {
        self.lane = lane
        self.state = Mutex(State(expectsContinue: expectsContinue))
        self.agreement = upgrades ? lane.eventLoop.makePromise() : nil
    }

    /// Reads a request that has no content to its end.
    func skip() async throws { _ = try await self.lane.nextContent() }

    /// The content, each piece when it is asked for.
    var octets: HTTPRequestBody.Octets { HTTPRequestBody.Octets { try await self.next() } }

    /// The fields behind the content for the server, once all of it was read.
    var trailers: HTTPFields { ForwardedFields.requestTrailers(self.lane.requestTrailers) }

    private func next() async throws -> ByteBuffer? {
        self.state.withLock { state in
            guard state.expectsContinue, !state.hasResponse else { return }
            state.expectsContinue = false
            // In the lock: behind the response it would be taken for the next one.
            self.lane.send(informational: 100, [:])
        }
        return try await self.lane.nextContent()
    }

    // MARK: Other protocols

    /// Says whether the server speaks the protocol that was asked for. What is said first holds.
    func agree(_ isAgreed: Bool) { self.agreement?.succeed(isAgreed) }

    /// The octets of the protocol that was asked for, once the server has agreed; none where it does not.
    var upgradedOctets: HTTPRequestBody.Octets { HTTPRequestBody.Octets { try await self.nextUpgraded() } }

    private func nextUpgraded() async throws -> ByteBuffer? {
        guard let agreement, try await agreement.futureResult.get() else { return nil }
        // The end of the client is the end of both directions: to the server the connection closes.
        guard let octets = try await self.lane.nextOctets() else { throw ChannelError.eof }
        return octets
    }

    /// Says that the response is next.
    func beginResponse() { self.state.withLock { $0.hasResponse = true } }
}
