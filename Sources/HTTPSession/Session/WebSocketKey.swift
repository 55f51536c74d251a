//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
package import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a server of WebSocket proves over HTTP/1.1 that it has read (RFC 6455 §1.3).
package struct WebSocketKey: Sendable {
    /// The value of Sec-WebSocket-Key.
    package let text: String

    /// A key of a program.
    package init(_ text: String) { self.text = text }

    /// Sixteen octets that no one else knows (RFC 6455 §4.1).
    package init() { self.text = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0).base64EncodedString() } }

    /// Whether the fields of a response have the proof, once.
    package func isProven(by fields: HTTPFields) -> Bool { fields[values: .secWebSocketAccept] == [self.proof] }

    /// The proof, the value of Sec-WebSocket-Accept.
    package var proof: String {
        Data(Insecure.SHA1.hash(data: Data((self.text + Self.suffix).utf8))).base64EncodedString()
    }

    /// What is hashed behind the key (RFC 6455 §1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
}
