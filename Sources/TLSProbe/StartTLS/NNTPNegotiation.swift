//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// NNTP's STARTTLS (RFC 4642 §2.2, RFC 3977 §5.2).
struct NNTPNegotiation: Negotiation {
    private var stage = Stage.greeting

    private enum Stage: Sendable {
        case greeting
        case capabilities
        case list(hasTLS: Bool)
        case startTLS
    }

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let bytes = try input.line() else { return .incomplete }
        let line = String(printable: bytes)
        if case .list(let hasTLS) = self.stage { return try self.list(line, hasTLS) }
        switch (self.stage, line.prefix(3)) {
        case (.greeting, "200"), (.greeting, "201"):
            self.stage = .capabilities
            return .send("CAPABILITIES")
        case (.capabilities, "101"):
            self.stage = .list(hasTLS: false)
            return .proceed
        // RFC 3977 came long after the servers that know no such command.
        case (.capabilities, "500"), (.startTLS, "500"): throw .notOffered
        case (.startTLS, "382"): return .ready
        case (_, let code) where code.count == 3 && (code.hasPrefix("4") || code.hasPrefix("5")): throw .rejected(line)
        default: throw .unexpected(line)
        }
    }

    private mutating func list(_ line: String, _ hasTLS: Bool) throws(NegotiationError) -> NegotiationStep {
        guard line == "." else {
            self.stage = .list(hasTLS: hasTLS || line.uppercased() == "STARTTLS")
            return .proceed
        }
        guard hasTLS else { throw .notOffered }
        self.stage = .startTLS
        return .send("STARTTLS")
    }
}
