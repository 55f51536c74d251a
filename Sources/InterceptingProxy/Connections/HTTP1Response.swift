//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// An encoder for HTTP/1.1 responses (RFC 9112).
enum HTTP1Response {
    /// Returns the octets of a proxy's answer after which the connection closes.
    static func octets(_ answer: ProxyAnswer) -> ByteBuffer {
        var octets = Self.head(answer.response, closes: true)
        if answer.response.content == .octets { octets.writeImmutableBuffer(answer.content) }
        return octets
    }

    /// Returns the head of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - closes: `true` if the connection closes after the response.
    static func head(_ response: ClientResponse, closes: Bool) -> ByteBuffer {
        var octets = ByteBuffer()
        octets.reserveCapacity(Self.usualSize)
        octets.writeStaticString("HTTP/1.1 ")
        octets.writeString(String(response.status))
        octets.writeStaticString(" ")
        octets.writeBytes(response.reason ?? Self.reason(response.status))
        octets.writeStaticString("\r\n")
        Self.write(response.fields, to: &octets)
        if closes { octets.writeStaticString("Connection: close\r\n") }
        octets.writeStaticString("\r\n")
        return octets
    }

    /// The initial capacity in octets, for a head and a little content.
    private static let usualSize = 2_048

    /// Returns content as one chunk, for responses without a content length (RFC 9112 §7.1).
    static func chunk(_ octets: ByteBuffer) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(octets.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(octets)
        chunk.writeStaticString("\r\n")
        return chunk
    }

    /// Returns the octets after the last chunk.
    static func end(_ trailers: HTTPFields) -> ByteBuffer {
        var end = ByteBuffer(staticString: "0\r\n")
        Self.write(trailers, to: &end)
        end.writeStaticString("\r\n")
        return end
    }

    private static func write(_ fields: HTTPFields, to octets: inout ByteBuffer) {
        for field in fields {
            octets.writeString(field.name.rawName)
            octets.writeStaticString(": ")
            field.withUnsafeBytesOfValue { _ = octets.writeBytes($0) }
            octets.writeStaticString("\r\n")
        }
    }

    /// The status codes of the proxy's own answers and of informational responses.
    private static let named: [HTTPResponse.Status] = [
        .continue, .earlyHints, .badRequest, .forbidden, .proxyAuthenticationRequired, .expectationFailed,
        .misdirectedRequest,
        .requestHeaderFieldsTooLarge, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
        .httpVersionNotSupported,
    ]

    private static func reason(_ status: Int) -> [UInt8] {
        Array((Self.named.first { $0.code == status }?.reasonPhrase ?? "").utf8)
    }

    /// Returns the reason phrase of a server's status line (RFC 9112 §4), or an empty array if it is not text.
    static func reason(inHead head: ByteBuffer) -> [UInt8] {
        let line = head.readableBytesView.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let reason = line.dropFirst("HTTP/1.1 200 ".utf8.count)
        return reason.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } ? Array(reason) : []
    }
}
