//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import ServerTrust
public import TLSWire

/// What came of a connection that the gate let through.
public struct GatedConnection: Sendable {
    /// Where it goes.
    public var destination: ATSDestination { self.judgment.destination }
    /// What was asked of it, and what it does not meet and was let through all the same, as the program's own evaluator or
    /// handler accepted it.
    public var verdict: ATSVerdict { self.judgment.verdict }
    /// The version of TLS; `nil` for plain HTTP.
    public var version: TLSProtocolVersion? { self.judgment.connection.version }
    /// The cipher suite; `nil` for plain HTTP.
    public var cipherSuite: CipherSuite? { self.judgment.connection.cipherSuite }
    /// The application protocol that was agreed on (ALPN, RFC 7301); `nil` when none was.
    public internal(set) var applicationProtocol: String?
    /// The evaluation of the server's chain; `nil` for plain HTTP, and where an evaluator trusts without one.
    public var result: TrustResult? { self.judgment.connection.trust }
    /// What the program's own evaluator decided; `nil` without one.
    public var decision: ServerTrustDecision? { self.judgment.decision }
    /// Whether it was seen what the server delivers beside its certificates, and counted: a stapled OCSP response, and
    /// timestamps of certificate transparency (``ServerTrustSettings/looksAtDeliveredEvidence``).
    public var sawDeliveredEvidence: Bool { self.judgment.sawDeliveredEvidence }
    /// Whether the program's handler accepted a server that the rules refuse.
    public internal(set) var isAcceptedByHandler = false

    private let judgment: ConnectionJudgment

    init(_ judgment: ConnectionJudgment) {
        self.judgment = judgment
    }

    /// What comes of a load over plain HTTP.
    init(plain destination: ATSDestination, _ verdict: ATSVerdict) {
        self.init(ConnectionJudgment(destination, .plain, trust: nil, verdict: verdict, decision: nil))
    }

    /// What comes of a connection without TLS that no rules were asked about.
    package init(withoutTLS destination: ATSDestination) {
        self.init(plain: destination, ATSRequirements().verdict(on: .plain))
    }
}

/// A channel to a server that the gate let through.
public struct GatedChannel: Sendable {
    /// The channel. What the program writes is sent.
    public let channel: any Channel
    /// What came of the connection.
    public let connection: GatedConnection
}
