//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes

/// The protocols that a client asks for in place of HTTP, WebSocket above all (RFC 9110 §7.8).
struct ProxyUpgrade: Sendable {
    /// The value of the Upgrade field.
    let text: String
    private let names: [String]

    /// What a request asks for; `nil` where it asks for no other protocol, or for one that the proxy would have to read.
    init?(_ head: RequestHead, _ framing: MessageFraming) {
        let names = head.fields.protocols
        guard head.method == .get, framing == .none, head.fields.has("upgrade", in: .connection), !names.isEmpty,
            let text = head.fields[.upgrade]
        else { return nil }
        (self.text, self.names) = (text, names)
    }

    /// Whether a server that agrees names one of them.
    func isMet(by fields: HTTPFields) -> Bool { fields.agrees(to: self.names) }
}
