//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// SMTP's STARTTLS (RFC 3207), and LMTP's, which differs in one word (RFC 2033 §4.1).
struct MailTransferNegotiation: Negotiation {
    /// `EHLO` or `LHLO`.
    let hello: String
    private var reader = CodedReplyReader()
    private var stage = Stage.greeting

    private enum Stage: Sendable {
        case greeting
        case hello
        case startTLS
    }

    init(hello: String) {
        self.hello = hello
    }

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let reply = try self.reader.reply(&input) else { return .incomplete }
        switch (self.stage, reply.code) {
        case (.greeting, 220):
            self.stage = .hello
            // A name reserved by RFC 2606. The server need not learn the name of this machine.
            return .send("\(self.hello) probe.invalid")
        case (.hello, 250):
            guard reply.lists("STARTTLS") else { throw .notOffered }
            self.stage = .startTLS
            return .send("STARTTLS")
        // RFC 5321 §4.2.4: a server that does not support EHLO has no extensions.
        case (.hello, 500), (.hello, 502): throw .notOffered
        case (.startTLS, 220): return .ready
        case (_, 400...599): throw .rejected(reply.text)
        default: throw .unexpected(reply.text)
        }
    }
}
