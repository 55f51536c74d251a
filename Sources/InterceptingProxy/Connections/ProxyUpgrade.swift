//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes

/// The protocols that a client asks for in place of HTTP, WebSocket above all (RFC 9110 §7.8).
struct ProxyUpgrade: Sendable {
    /// The value of the Upgrade field.
    let text: String
    private let names: [String]
    /// The key of WebSocket, where the client asks on a stream of HTTP/2, which has none (RFC 8441 §5); `nil` elsewhere.
    let key: WebSocketKey?

    /// What a request asks for; `nil` where it asks for no other protocol, or for one that the proxy would have to read.
    ///
    /// - Parameter isOnStream: Whether it is asked for on a stream of HTTP/2.
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

    /// Whether a server that agrees names one of them, and proves what a client of HTTP/2 cannot check.
    func isMet(by fields: HTTPFields) -> Bool {
        fields.agrees(to: self.names) && self.key?.isProven(by: fields) ?? true
    }
}
