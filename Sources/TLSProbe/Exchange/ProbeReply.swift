//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What came of sending a hello.
public struct ProbeReply: Sendable, Hashable {
    /// What the server said.
    public var flight: ServerFlight
    /// Why it said no more than that; `nil` when all is there, or an alert ended it.
    public var failure: ConnectionFailure?
    /// How many octets came.
    public var receivedBytes: Int

    /// A reply.
    public init(_ flight: ServerFlight = ServerFlight(), failure: ConnectionFailure? = nil, receivedBytes: Int = 0) {
        self.flight = flight
        self.failure = failure
        self.receivedBytes = receivedBytes
    }
}
