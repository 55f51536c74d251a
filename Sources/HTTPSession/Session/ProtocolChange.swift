//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import ServerTrustNIO

/// A request for another protocol, with the check of the server's response.
struct ProtocolChange: Sendable {
    let request: HTTPSessionRequest
    private let name: String
    /// The key from which a WebSocket server over HTTP/1.1 computes its proof (RFC 6455 §1.3).
    private var key: WebSocketKey?

    /// Creates the request, or returns `nil` unless it is a GET without content for one protocol with a valid name.
    init?(to name: String, in request: HTTPSessionRequest) {
        guard request.method == .get, !request.body.isPresent, HTTPField.Name(name) != nil else {
            return nil
        }
        var request = request
        request.fields.upgrade(to: name)
        guard request.fields.protocols.count == 1 else { return nil }
        (self.name, request.changesProtocol) = (name.lowercased(), true)
        if self.name == "websocket" {
            let key = request.fields[.secWebSocketKey].map { WebSocketKey($0) } ?? WebSocketKey()
            self.key = key
            request.fields[.secWebSocketKey] = key.text
            if !request.fields.contains(.secWebSocketVersion) { request.fields[.secWebSocketVersion] = "13" }
        }
        self.request = request
    }

    /// Returns the reason that a response does not accept the protocol, in a sentence, or `nil` if it does.
    func fault(in response: HTTPSessionResponse) -> String? {
        let isStream = response.connection.gated.applicationProtocol == "h2"
        guard isStream ? response.isSuccess : response.status == 101 else {
            return "The server does not change to \(self.name): it answers with status \(response.status)."
        }
        guard isStream || self.isMet(by: response.fields) else {
            return "The server changes to another protocol than \(self.name), or does not prove that it knows it."
        }
        guard self.name != "websocket" || self.isAsked(response.fields[.secWebSocketProtocol]) else {
            return "The server chooses a subprotocol of WebSocket that was not asked for (RFC 6455, section 4.1)."
        }
        return nil
    }

    private func isMet(by fields: HTTPFields) -> Bool {
        guard fields.agrees(to: [self.name]), fields.has("upgrade", in: .connection) else { return false }
        return self.key?.isProven(by: fields) ?? true
    }

    private func isAsked(_ subprotocol: String?) -> Bool {
        guard let subprotocol else { return true }
        let asked = self.request.fields[values: .secWebSocketProtocol].flatMap { $0.split(separator: ",") }
        return asked.contains { $0.trimmingBlanks() == subprotocol }
    }
}
