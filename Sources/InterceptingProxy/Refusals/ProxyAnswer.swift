//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import ServerReports

/// What the proxy itself says to a client.
struct ProxyAnswer: Sendable {
    /// The head.
    let response: ClientResponse
    /// The page, which an answer to HEAD leaves out.
    let content: ByteBuffer

    /// A refusal in the form that the client takes.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - head: The request; `nil` where it could not be read.
    init(_ refusal: Refusal, to head: RequestHead?) {
        self.init(refusal, accepting: head?.fields[.accept], hasContent: head?.method != .head)
    }

    /// A refusal in the form that the client takes.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - accept: The Accept field of the request.
    ///   - hasContent: Whether the answer has content, as those to HEAD have not.
    init(_ refusal: Refusal, accepting accept: String?, hasContent: Bool) {
        let (type, text) = refusal.answer.content(accepting: accept)
        var fields = HTTPFields()
        for (name, value) in refusal.fields + [("Content-Type", type), ("Content-Length", "\(text.utf8.count)")] {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.response = ClientResponse(
            status: refusal.answer.status, fields: fields, content: hasContent ? .octets : .none)
        self.content = ByteBuffer(string: text)
    }
}

extension ClientLane {
    /// Sends an answer of the proxy's own.
    func send(_ answer: ProxyAnswer) async throws {
        try await self.begin(answer.response)
        if answer.response.content == .octets { try await self.write(answer.content) }
        try await self.finish([:])
    }
}
