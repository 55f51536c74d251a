//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The reply of a server to a hello.
///
/// It has the messages in the clear and, if the answer is not complete, the reason.
public struct ProbeReply: Sendable, Hashable {
    /// The messages of the server.
    public var flight: ServerFlight
    /// The reason that the flight is not complete. It is `nil` if the flight is complete or ended with an alert.
    public var failure: ConnectionFailure?
    /// The number of octets received.
    public var receivedBytes: Int

    /// Creates a reply.
    public init(_ flight: ServerFlight = ServerFlight(), failure: ConnectionFailure? = nil, receivedBytes: Int = 0) {
        self.flight = flight
        self.failure = failure
        self.receivedBytes = receivedBytes
    }
}
