//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// What one request of a client comes over, and the answer to it goes: a connection of HTTP/1.1, or a stream of HTTP/2.
///
/// One task reads, and one task writes.
protocol ClientLane: Sendable {
    /// The version of HTTP that the client speaks.
    var version: ProxiedRequest.Version { get }
    /// The event loop of the connection.
    var eventLoop: any EventLoop { get }
    /// The octets of content that were read.
    var requestSize: Int { get }
    /// The fields behind content that was read to its end.
    var requestTrailers: HTTPFields { get }

    /// The next octets of content; `nil` at the end of the request.
    func nextContent() async throws -> ByteBuffer?
    /// The next octets of another protocol (RFC 9110 §7.8); `nil` at the end of the connection.
    func nextOctets() async throws -> ByteBuffer?
    /// Says who hears that the client gives the request up, or goes away, before it is answered; `nil` for nothing.
    func onEnd(_ ended: (@Sendable () -> Void)?)

    /// Sends a response before the response, without waiting: nothing follows ``begin(_:)`` that it could be taken for.
    func send(informational status: Int, _ fields: HTTPFields)
    /// Sends the head of the response, now or with what follows.
    func begin(_ response: ClientResponse) async throws
    /// Sends content, now or with what follows, and waits until the client has taken what is sent.
    func write(_ octets: ByteBuffer) async throws
    /// Sends what was kept to be sent with what follows, as nothing follows for a while.
    func flush() async throws
    /// Ends the response.
    func finish(_ trailers: HTTPFields) async throws
}

/// The head of a response for a client.
struct ClientResponse: Sendable {
    /// What follows the head.
    enum Content: Sendable {
        case none
        /// Content without an octet and without trailers, as is known when the head is sent.
        case empty
        /// Content, of the length that the fields say, or until its end.
        case octets
        /// Octets of another protocol.
        case upgrade
    }

    /// The status.
    let status: Int
    /// What stands behind the status in HTTP/1.1; `nil` for what HTTP calls it.
    var reason: [UInt8]?
    /// The fields, without those that are for one connection alone.
    let fields: HTTPFields
    /// What follows.
    let content: Content
}
