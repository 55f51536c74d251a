//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// FTP's AUTH (RFC 4217 §4, RFC 2228 §3).
struct FTPNegotiation: Negotiation {
    private var reader = CodedReplyReader()
    private var stage = Stage.greeting

    private enum Stage: Sendable {
        case greeting
        case auth
        /// The form of AUTH from before RFC 4217 was sent, after the server refused the current one with this reply.
        case oldAuth(CodedReply)
    }

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let reply = try self.reader.reply(&input) else { return .incomplete }
        switch (self.stage, reply.code) {
        // RFC 959 §5.4: "Service ready in nnn minutes", and then the greeting.
        case (.greeting, 120): return .proceed
        case (.greeting, 220):
            self.stage = .auth
            return .send("AUTH TLS")
        case (.auth, 234), (.oldAuth, 234): return .ready
        case (.auth, 500...599):
            self.stage = .oldAuth(reply)
            return .send("AUTH SSL")
        case (.oldAuth(let first), 500...599): throw Self.refusal(first)
        case (_, 400...599): throw .rejected(reply.text)
        default: throw .unexpected(reply.text)
        }
    }

    /// Maps the codes for an unknown command or parameter to "not offered".
    private static func refusal(_ reply: CodedReply) -> NegotiationError {
        [500, 502, 504].contains(reply.code) ? .notOffered : .rejected(reply.text)
    }
}
