//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// PostgreSQL's SSLRequest (PostgreSQL's documentation, "Frontend/Backend Protocol", "SSL Session Encryption").
struct PostgresNegotiation: Negotiation {
    /// Returns the length, and 80877103 in place of a version.
    mutating func opening() -> [UInt8] { [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let answer = input.rest.first else { return .incomplete }
        switch answer {
        case UInt8(ascii: "S"):
            input.drop(1)
            return .ready
        case UInt8(ascii: "N"): throw .notOffered
        // The text is not authenticated and must not be shown (CVE-2024-10977).
        case UInt8(ascii: "E"): throw .rejected("an error instead of an answer")
        default: throw .unexpected("")
        }
    }
}
