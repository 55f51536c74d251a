//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
public import NIOCore

/// A bidirectional stream of another protocol than HTTP, such as WebSocket, over a connection that the gate has accepted.
public struct HTTPUpgradedStream: Sendable {
    /// The response that accepted the protocol: status 101 over HTTP/1.1, or a status of success over HTTP/2.
    public let response: HTTPSessionResponse
    /// The octets that the server sends. Only one task may read them. Silence of the server is no error, because the protocol has
    /// its own rules.
    public let received: HTTPContent

    /// Sends octets and waits until they are passed to the connection.
    ///
    /// - Parameter octets: The octets to send. The session adds no framing, so that the program must create
    ///   WebSocket frames itself.
    /// - Throws: ``HTTPSessionError`` if the stream has ended.
    public func write(_ octets: ByteBuffer) async throws(HTTPSessionError) { try await self.received.write(octets) }

    /// Ends the stream and, over HTTP/1.1, its connection. Octets that were not read yet are discarded.
    public func close() async {
        // Over HTTP/2 an orderly end is signaled to the server (RFC 8441 §5).
        try? await self.received.write(nil)
        self.received.close()
    }
}

extension HTTPSession {
    /// Requests another protocol from a server and returns a stream of its octets.
    ///
    /// ```swift
    /// let stream = try await session.stream(of: "websocket", for: HTTPSessionRequest("https://api.example.com/chat"))
    /// try await stream.write(frame)
    /// for try await octets in stream.received { … }
    /// ```
    ///
    /// If the server supports it, this uses an HTTP/2 stream (extended CONNECT, RFC 8441). Otherwise it uses an HTTP/1.1 connection
    /// (Upgrade, RFC 9110 §7.8). For `websocket` the session adds the fields of RFC 6455 §4.1 and checks those of the server.
    ///
    /// - Parameters:
    ///   - protocolName: The name of the protocol in the IANA registry of upgrade tokens, such as `websocket`.
    ///   - request: A GET request without content. The program sets `Sec-WebSocket-Protocol` and other fields of the protocol.
    /// - Returns: The stream. It ends when it is closed or released.
    /// - Throws: ``HTTPSessionError``, also if the server does not accept the protocol.
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
