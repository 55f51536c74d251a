//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
package import NIOCore

/// The head of a request (RFC 9112 §3).
package struct RequestHead: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// What the request is for: a path with its query, a URL for a proxy, or a host with its port for CONNECT.
    package let target: String
    /// The fields in their order.
    package let fields: HTTPFields

    /// The head of a request; `nil` for a target that does not fit on a request line.
    package init?(_ method: HTTPRequest.Method, target: String, fields: HTTPFields) {
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        (self.method, self.target, self.fields) = (method, target, fields)
    }

    /// The octets of the head. Names and values have none that end a line: their types see to it.
    package func write(to buffer: inout ByteBuffer) {
        buffer.writeString("\(self.method.rawValue) \(self.target) HTTP/1.1\r\n")
        for field in self.fields {
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
