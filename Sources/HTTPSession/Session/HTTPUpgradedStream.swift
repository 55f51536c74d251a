//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
public import NIOCore

/// Octets of another protocol than HTTP, both ways, over a connection that the gate let through: WebSocket above all.
public struct HTTPUpgradedStream: Sendable {
    /// The response in which the server agreed: status 101 over HTTP/1.1, another success over HTTP/2.
    public let response: HTTPSessionResponse
    /// What the server sends. One task reads it. Its silence is no error: a protocol has its own.
    public let received: HTTPContent

    /// Sends octets, and waits until they are handed to the connection.
    ///
    /// - Parameter octets: What is sent. The session frames nothing: frames of WebSocket are the program's.
    /// - Throws: ``HTTPSessionError`` when the stream has ended.
    public func write(_ octets: ByteBuffer) async throws(HTTPSessionError) { try await self.received.write(octets) }

    /// Ends the stream, and over HTTP/1.1 its connection. Octets that the server has sent and were not read are dropped.
    public func close() async {
        // Over HTTP/2 a stream that ends in good order says so (RFC 8441 §5).
        try? await self.received.write(nil)
        self.received.close()
    }
}

extension HTTPSession {
    /// Asks a server to speak another protocol, and gives its octets.
    ///
    /// ```swift
    /// let stream = try await session.stream(of: "websocket", for: HTTPSessionRequest("https://api.example.com/chat"))
    /// try await stream.write(frame)
    /// for try await octets in stream.received { … }
    /// ```
    ///
    /// Over HTTP/2 this is a stream beside others (extended CONNECT, RFC 8441), where the server offers that; otherwise it is a
    /// connection of HTTP/1.1 (Upgrade, RFC 9110 §7.8). For `websocket` the session adds the fields that RFC 6455 §4.1 asks for, and
    /// checks the server's.
    ///
    /// - Parameters:
    ///   - protocolName: The protocol's name in IANA's registry of upgrade tokens, such as `websocket`.
    ///   - request: A GET without content. `Sec-WebSocket-Protocol` and other fields of the protocol are the program's.
    /// - Returns: The stream. Close it, or drop it, which ends it, too.
    /// - Throws: ``HTTPSessionError``, also when the server does not agree.
    public func stream(
        of protocolName: String, for request: HTTPSessionRequest
    ) async throws(HTTPSessionError) -> HTTPUpgradedStream {
        guard let change = ProtocolChange(to: protocolName, in: request) else {
            throw HTTPSessionError(
                .requestBody, .badURL, url: request.url,
                reason: "Another protocol is asked for by a GET without content, and by a name that is a token.",
                remedy: "Leave method and content out, and name a protocol that is neither HTTP nor TLS.")
        }
        let (response, content) = try await self.open(change.request, decodes: false)
        if let reason = change.fault(in: response) {
            content.close()
            throw HTTPSessionError(
                .response, .badServerResponse, url: response.url, reason: reason,
                remedy: "Check the path, and whether the server speaks \(protocolName) there.")
        }
        return HTTPUpgradedStream(response: response, received: content)
    }
}
