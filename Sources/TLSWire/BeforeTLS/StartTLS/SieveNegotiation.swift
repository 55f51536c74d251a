//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// ManageSieve's STARTTLS (RFC 5804 §2.2).
struct SieveNegotiation: Negotiation {
    private var hasTLS = false
    private var hasAsked = false

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let bytes = try input.line() else { return .incomplete }
        let line = String(printable: bytes)
        let word = line.split { $0 == " " || $0 == "(" }.first?.uppercased()
        switch word {
        case "OK" where self.hasAsked: return .ready
        case "OK":
            guard self.hasTLS else { throw .notOffered }
            self.hasAsked = true
            return .send("STARTTLS")
        case "NO", "BYE": throw .rejected(line)
        // RFC 5804 §1.7: capabilities are quoted and precede the server's OK.
        case let word? where word.hasPrefix("\"") && !self.hasAsked:
            self.hasTLS = self.hasTLS || word == "\"STARTTLS\""
            return .proceed
        default: throw .unexpected(line)
        }
    }
}
