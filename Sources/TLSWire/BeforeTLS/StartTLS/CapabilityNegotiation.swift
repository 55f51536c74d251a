//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The negotiation of POP3 and NNTP, which list their capabilities in lines up to a single dot.
struct CapabilityNegotiation: Negotiation {
    private let dialect: Dialect
    private var stage = Stage.greeting

    /// The differences between the protocols.
    struct Dialect: Sendable {
        let capabilities: String
        let startTLS: String
        let offersTLS: @Sendable (_ line: String) -> Bool
        let meaning: @Sendable (_ line: String, Stage) -> Meaning
    }

    /// The stage of the conversation.
    enum Stage: Sendable, Hashable {
        case greeting
        case capabilities
        case list(hasTLS: Bool)
        case startTLS
    }

    /// The meaning of a status line.
    enum Meaning: Sendable {
        case accepted
        case rejected
        /// The server does not support the command for capabilities, but may still begin TLS.
        case withoutCapabilities
        case notOffered
        case unexpected
    }

    init(_ dialect: Dialect) {
        self.dialect = dialect
    }

    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let bytes = try input.line() else { return .incomplete }
        let line = String(printable: bytes)
        if case .list(let hasTLS) = self.stage { return try self.list(line, hasTLS) }
        switch self.dialect.meaning(line, self.stage) {
        case .accepted: return self.proceed()
        case .withoutCapabilities: return self.startTLS()
        case .rejected: throw .rejected(line)
        case .notOffered: throw .notOffered
        case .unexpected: throw .unexpected(line)
        }
    }

    private mutating func proceed() -> NegotiationStep {
        switch self.stage {
        case .greeting:
            self.stage = .capabilities
            return .send(self.dialect.capabilities)
        case .capabilities, .list:
            self.stage = .list(hasTLS: false)
            return .proceed
        case .startTLS: return .ready
        }
    }

    private mutating func list(_ line: String, _ hasTLS: Bool) throws(NegotiationError) -> NegotiationStep {
        guard line == "." else {
            self.stage = .list(hasTLS: hasTLS || self.dialect.offersTLS(line))
            return .proceed
        }
        guard hasTLS else { throw .notOffered }
        return self.startTLS()
    }

    private mutating func startTLS() -> NegotiationStep {
        self.stage = .startTLS
        return .send(self.dialect.startTLS)
    }
}

extension CapabilityNegotiation.Dialect {
    /// POP3's STLS (RFC 2595 §4), after CAPA has listed it (RFC 2449 §5).
    static let pop3 = Self(
        capabilities: "CAPA", startTLS: "STLS",
        offersTLS: { $0.split(separator: " ").first?.uppercased() == "STLS" },
        meaning: { line, stage in
            if line.hasPrefix("+OK") { return .accepted }
            guard line.hasPrefix("-ERR") else { return .unexpected }
            // Older servers support STLS without CAPA.
            return stage == .capabilities ? .withoutCapabilities : .rejected
        })

    /// NNTP's STARTTLS (RFC 4642 §2.2, RFC 3977 §5.2).
    static let nntp = Self(
        capabilities: "CAPABILITIES", startTLS: "STARTTLS",
        offersTLS: { $0.uppercased() == "STARTTLS" },
        meaning: { line, stage in
            switch (stage, line.prefix(3)) {
            case (.greeting, "200"), (.greeting, "201"), (.capabilities, "101"), (.startTLS, "382"): .accepted
            // Servers much older than RFC 3977 do not know the command.
            case (.capabilities, "500"), (.startTLS, "500"): .notOffered
            case (_, let code) where code.count == 3 && (code.hasPrefix("4") || code.hasPrefix("5")): .rejected
            default: .unexpected
            }
        })
}
