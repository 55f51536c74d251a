//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import ServerReports

/// What the proxy itself says to a client, and the heads of what servers say.
struct ProxyAnswer {
    /// The answer as it is sent.
    let octets: ByteBuffer

    /// A refusal in the form that the client takes.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - head: The request; `nil` where it could not be read.
    ///   - keepsConnection: Whether another request may follow.
    init(_ refusal: Refusal, to head: RequestHead?, keepsConnection: Bool) {
        let (type, text) = refusal.answer.content(accepting: head?.fields[.accept])
        var fields = HTTPFields()
        for (name, value) in refusal.fields + [("Content-Type", type), ("Content-Length", "\(text.utf8.count)")] {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        var octets = Self.head(refusal.answer.status, fields, keepsConnection: keepsConnection)
        if head?.method != .head { octets.writeString(text) }
        self.octets = octets
    }

    /// The head of a response.
    ///
    /// - Parameter reason: What stands behind the status; `nil` for what HTTP calls it.
    static func head(
        _ status: Int, reason: [UInt8]? = nil, _ fields: HTTPFields, keepsConnection: Bool
    ) -> ByteBuffer {
        var octets = ByteBuffer(string: "HTTP/1.1 \(status) ")
        octets.writeBytes(reason ?? Self.reason(status))
        octets.writeStaticString("\r\n")
        for field in fields {
            octets.writeString(field.name.rawName + ": ")
            field.withUnsafeBytesOfValue { _ = octets.writeBytes($0) }
            octets.writeStaticString("\r\n")
        }
        if !keepsConnection { octets.writeStaticString("Connection: close\r\n") }
        octets.writeStaticString("\r\n")
        return octets
    }

    /// The statuses of the proxy's own answers, and those before a response.
    private static let named: [HTTPResponse.Status] = [
        .earlyHints, .badRequest, .forbidden, .expectationFailed, .misdirectedRequest, .requestHeaderFieldsTooLarge,
        .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
    ]

    private static func reason(_ status: Int) -> [UInt8] {
        Array((Self.named.first { $0.code == status }?.reasonPhrase ?? "").utf8)
    }

    /// What a server wrote behind the status (RFC 9112 §4), as long as it is text.
    static func reason(inHead head: [UInt8]) -> [UInt8] {
        let line = head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let reason = line.dropFirst("HTTP/1.1 200 ".utf8.count)
        return reason.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } ? Array(reason) : []
    }

    /// The head of a response before the response.
    static func informational(_ status: Int, _ fields: HTTPFields) -> ByteBuffer {
        // What a session hides from those who watch it is for the response alone.
        let shown = ForwardedFields.response(fields).filter { $0.value != "(hidden)" }
        var fields = HTTPFields()
        for field in shown { fields.append(field) }
        return Self.head(status, fields, keepsConnection: true)
    }
}
