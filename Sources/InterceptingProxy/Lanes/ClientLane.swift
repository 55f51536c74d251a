//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// The transport of one request and its response: an HTTP/1.1 connection or an HTTP/2 stream.
///
/// Only one task may read and only one task may write.
protocol ClientLane: Sendable {
    var version: ProxiedRequest.Version { get }
    var eventLoop: any EventLoop { get }
    /// The number of octets of content that were read.
    var requestSize: Int { get }
    /// The trailer fields, after the content was read to its end.
    var requestTrailers: HTTPFields { get }

    /// Returns the next octets of content, or `nil` at the end of the request.
    func nextContent() async throws -> ByteBuffer?
    /// Returns the next octets of another protocol (RFC 9110 §7.8), or `nil` at the end of the connection.
    func nextOctets() async throws -> ByteBuffer?
    /// Sets the closure that is called if the client cancels the request or closes the connection before the end of the response.
    /// `nil` removes it.
    func onEnd(_ ended: (@Sendable () -> Void)?)

    /// Sends an informational response without waiting. It must not be called after ``begin(_:)``.
    func send(informational status: Int, _ fields: HTTPFields)
    /// Sends the head of the response, at once or together with the first content.
    func begin(_ response: ClientResponse) async throws
    /// Sends content, at once or together with the following content, and waits until the client has received enough of it.
    func write(_ octets: ByteBuffer) async throws
    /// Sends the octets that are held back, because no further content is available.
    func flush() async throws
    func finish(_ trailers: HTTPFields) async throws
}

/// The head of a response to a client.
struct ClientResponse: Sendable {
    /// The kind of content after the head.
    enum Content: Sendable {
        case none
        /// Content without octets and trailers, known to be empty when the head is sent.
        case empty
        /// Content of the length that the fields state, or until its end.
        case octets
        /// Octets of another protocol.
        case upgrade
    }

    let status: Int
    /// The reason phrase for HTTP/1.1, or `nil` for the standard one.
    var reason: [UInt8]?
    /// The fields without those that concern a single connection.
    let fields: HTTPFields
    let content: Content
}
