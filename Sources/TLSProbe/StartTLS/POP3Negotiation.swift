//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// POP3's STLS (RFC 2595 §4), after CAPA has told of it (RFC 2449 §5).
struct POP3Negotiation: Negotiation {
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
        let isGood = line.hasPrefix("+OK")
        guard isGood || line.hasPrefix("-ERR") else { throw .unexpected(line) }
        switch (self.stage, isGood) {
        case (.greeting, true):
            self.stage = .capabilities
            return .send("CAPA")
        case (.capabilities, true):
            self.stage = .list(hasTLS: false)
            return .proceed
        // Older servers know STLS without CAPA.
        case (.capabilities, false): return self.startTLS()
        case (.startTLS, true): return .ready
        default: throw .rejected(line)
        }
    }

    private mutating func list(_ line: String, _ hasTLS: Bool) throws(NegotiationError) -> NegotiationStep {
        guard line == "." else {
            self.stage = .list(hasTLS: hasTLS || line.split(separator: " ").first?.uppercased() == "STLS")
            return .proceed
        }
        guard hasTLS else { throw .notOffered }
        return self.startTLS()
    }

    private mutating func startTLS() -> NegotiationStep {
        self.stage = .startTLS
        return .send("STLS")
    }
}
