//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import ServerReports

/// A response that the proxy itself generates.
struct ProxyAnswer: Sendable {
    let response: ClientResponse
    /// The page, which is not sent in answer to HEAD.
    let content: ByteBuffer

    /// Creates the response for a refusal in a format that the client accepts.
    ///
    /// - Parameters:
    ///   - refusal: The refusal.
    ///   - head: The request, or `nil` if it could not be read.
    init(_ refusal: Refusal, to head: RequestHead?) {
        self.init(refusal, accepting: head?.fields[.accept], hasContent: head?.method != .head)
    }

    /// Creates the response for a refusal in a format that the client accepts.
    ///
    /// - Parameters:
    ///   - refusal: The refusal.
    ///   - accept: The Accept field of the request.
    ///   - hasContent: `false` in answer to HEAD, which has no content.
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
    func send(_ answer: ProxyAnswer) async throws {
        try await self.begin(answer.response)
        if answer.response.content == .octets { try await self.write(answer.content) }
        try await self.finish([:])
    }
}
