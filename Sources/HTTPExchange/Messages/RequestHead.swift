//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
package import NIOCore

/// The head of a request (RFC 9112 §3).
///
/// ``RequestReader`` reads it from a client.
public struct RequestHead: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The request target: a path with its query, a URL for a proxy, or a host with its port for CONNECT.
    public let target: String
    /// The fields in their order.
    public let fields: HTTPFields
    /// The minor version of HTTP/1.
    public internal(set) var minorVersion = 1

    /// Creates the head of a request. Returns `nil` if the target does not fit on a request line.
    package init?(_ method: HTTPRequest.Method, target: String, fields: HTTPFields) {
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// Writes the head. The types of names and values guarantee that none of them ends a line.
    package func write(to buffer: inout ByteBuffer) {
        buffer.writeString(self.method.rawValue)
        buffer.writeStaticString(" ")
        buffer.writeString(self.target)
        buffer.writeStaticString(" HTTP/1.1\r\n")
        Self.write(self.fields, to: &buffer)
    }

    /// Writes field lines and the empty line after them.
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
