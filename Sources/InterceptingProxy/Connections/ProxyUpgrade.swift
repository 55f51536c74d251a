//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes

/// The protocols that a client requests in place of HTTP, mostly WebSocket (RFC 9110 §7.8).
struct ProxyUpgrade: Sendable {
    let text: String
    private let names: [String]
    /// The WebSocket key for a request on an HTTP/2 stream, which has none (RFC 8441 §5). `nil` for HTTP/1.1.
    let key: WebSocketKey?

    /// Reads the protocols that a request asks for, or returns `nil` if there are none or the proxy would have to interpret them.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - framing: The framing of the request.
    ///   - isOnStream: `true` if the request is on an HTTP/2 stream.
    init?(_ head: RequestHead, _ framing: MessageFraming, isOnStream: Bool = false) {
        guard head.fields.contains(.upgrade) else { return nil }
        let names = head.fields.protocols
        guard head.method == .get, framing == .none, head.fields.has("upgrade", in: .connection), !names.isEmpty,
            let text = head.fields[.upgrade]
        else { return nil }
        self.text = text
        self.names = names
        self.key = isOnStream ? WebSocketKey() : nil
    }

    /// Returns `true` if the server's response names a requested protocol and proves the key that an HTTP/2 client cannot check.
    func isMet(by fields: HTTPFields) -> Bool {
        fields.agrees(to: self.names) && self.key?.isProven(by: fields) ?? true
    }
}
