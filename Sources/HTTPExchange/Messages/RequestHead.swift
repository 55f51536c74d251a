//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
package import NIOCore

/// The head of a request (RFC 9112 §3).
public struct RequestHead: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// What the request is for: a path with its query, a URL for a proxy, or a host with its port for CONNECT.
    public let target: String
    /// The fields in their order.
    public let fields: HTTPFields
    /// The minor version of HTTP/1.
    public internal(set) var minorVersion = 1

    /// The head of a request; `nil` for a target that does not fit on a request line.
    package init?(_ method: HTTPRequest.Method, target: String, fields: HTTPFields) {
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// The octets of the head. Names and values have none that end a line: their types see to it.
    package func write(to buffer: inout ByteBuffer) {
        buffer.writeString(self.method.rawValue)
        buffer.writeStaticString(" ")
        buffer.writeString(self.target)
        buffer.writeStaticString(" HTTP/1.1\r\n")
        Self.write(self.fields, to: &buffer)
    }

    /// The octets of field lines, and the empty line behind them.
    static func write(_ fields: HTTPFields, to buffer: inout ByteBuffer) {
        for field in fields {
            buffer.writeString(field.name.rawName)
            field.withUnsafeBytesOfValue { value in
                buffer.writeStaticString(value.isEmpty ? ":" : ": ")
                buffer.writeBytes(value)
            }
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
    }
}
