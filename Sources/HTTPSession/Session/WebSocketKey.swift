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

/// The key from which a WebSocket server over HTTP/1.1 computes its proof (RFC 6455 §1.3).
package struct WebSocketKey: Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Generates a key of sixteen random octets (RFC 6455 §4.1).
    package init() { self.text = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0).base64EncodedString() } }

    /// Returns `true` if a response has the correct proof exactly once.
    package func isProven(by fields: HTTPFields) -> Bool { fields[values: .secWebSocketAccept] == [self.proof] }

    /// The proof, which is the value of the Sec-WebSocket-Accept field.
    package var proof: String {
        Data(Insecure.SHA1.hash(data: Data((self.text + Self.suffix).utf8))).base64EncodedString()
    }

    /// The text that is hashed after the key (RFC 6455 §1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
}
