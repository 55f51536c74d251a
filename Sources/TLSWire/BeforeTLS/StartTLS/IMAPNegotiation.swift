//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// IMAP's STARTTLS (RFC 9051 §6.2.1, and the same in RFC 3501 §6.2.1).
struct IMAPNegotiation: Negotiation {
    private var stage = Stage.greeting
    private var hasTLS = false

    private enum Stage: Sendable {
        case greeting
        case capabilities
        case startTLS
    }

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let bytes = try input.line() else { return .incomplete }
        let line = String(printable: bytes)
        let words = Self.words(bytes)
        switch (words.first, self.stage) {
        case ("*", .greeting): return try self.greeting(words, line)
        case ("*", _): return try self.untagged(words, line)
        case ("A", .capabilities):
            guard words.dropFirst().first == "OK" else { throw .rejected(line) }
            // RFC 9051 §7.1: the capabilities may also come as a code in the tagged line.
            self.hasTLS = self.hasTLS || words.contains("STARTTLS")
            guard self.hasTLS else { throw .notOffered }
            return self.startTLS()
        case ("B", .startTLS):
            guard words.dropFirst().first == "OK" else { throw .rejected(line) }
            return .ready
        default: throw .unexpected(line)
        }
    }

    private mutating func greeting(_ words: [String], _ line: String) throws(NegotiationError) -> NegotiationStep {
        switch words.dropFirst().first {
        case "OK" where words.contains("CAPABILITY") && words.contains("STARTTLS"): return self.startTLS()
        case "OK":
            self.stage = .capabilities
            return .send("A CAPABILITY")
        // A client that is authenticated already cannot begin TLS (RFC 9051 §6.2.1).
        case "BYE", "PREAUTH": throw .rejected(line)
        default: throw .unexpected(line)
        }
    }

    private mutating func untagged(_ words: [String], _ line: String) throws(NegotiationError) -> NegotiationStep {
        switch words.dropFirst().first {
        case "BYE": throw .rejected(line)
        case "CAPABILITY": self.hasTLS = self.hasTLS || words.contains("STARTTLS")
        default: break
        }
        return .proceed
    }

    private mutating func startTLS() -> NegotiationStep {
        self.stage = .startTLS
        return .send("B STARTTLS")
    }

    /// Returns the words of a whole line in upper case, without the brackets of codes.
    private static func words(_ line: [UInt8]) -> [String] {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
            .map { String(decoding: $0, as: UTF8.self).uppercased() }
    }
}
