//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore

/// The octets of responses as HTTP/1.1 writes them (RFC 9112).
enum HTTP1Response {
    /// An answer of the proxy behind which the connection ends.
    static func octets(_ answer: ProxyAnswer) -> ByteBuffer {
        var octets = Self.head(answer.response, closes: true)
        if answer.response.content == .octets { octets.writeImmutableBuffer(answer.content) }
        return octets
    }

    /// The head of a response.
    ///
    /// - Parameter closes: Whether the connection ends behind it.
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

    /// Of a head with some content.
    private static let usualSize = 2_048

    /// Some content, where the head does not say how much there is (RFC 9112 §7.1).
    static func chunk(_ octets: ByteBuffer) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(octets.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(octets)
        chunk.writeStaticString("\r\n")
        return chunk
    }

    /// What stands behind the last chunk.
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

    /// The statuses of the proxy's own answers, and those before a response.
    private static let named: [HTTPResponse.Status] = [
        .continue, .earlyHints, .badRequest, .forbidden, .proxyAuthenticationRequired, .expectationFailed,
        .misdirectedRequest,
        .requestHeaderFieldsTooLarge, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
        .httpVersionNotSupported,
    ]

    private static func reason(_ status: Int) -> [UInt8] {
        Array((Self.named.first { $0.code == status }?.reasonPhrase ?? "").utf8)
    }

    /// What a server wrote behind the status (RFC 9112 §4), as long as it is text.
    static func reason(inHead head: ByteBuffer) -> [UInt8] {
        let line = head.readableBytesView.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let reason = line.dropFirst("HTTP/1.1 200 ".utf8.count)
        return reason.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } ? Array(reason) : []
    }
}
