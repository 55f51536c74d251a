//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import ServerTrust
public import TLSWire

/// A connection that the gate let through, with the negotiated parameters and the evaluation of the server.
///
/// Read ``verdict`` for violations that your program's own evaluator or handler accepted, and ``result`` for the path that was
/// evaluated.
public struct GatedConnection: Sendable {
    /// The destination that the program asked for.
    public var destination: ATSDestination { self.judgment.destination }
    /// The requirements on the connection and its violations. A connection that was let through has violations only if the
    /// program's own evaluator or handler accepted them.
    public var verdict: ATSVerdict { self.judgment.verdict }
    /// The negotiated version of TLS, or `nil` for plain HTTP.
    public var version: TLSProtocolVersion? { self.judgment.connection.version }
    /// The negotiated cipher suite, or `nil` for plain HTTP.
    public var cipherSuite: CipherSuite? { self.judgment.connection.cipherSuite }
    /// The negotiated application protocol (ALPN, RFC 7301), or `nil` if there is none.
    public internal(set) var applicationProtocol: String?
    /// The evaluation of the server's chain. `nil` for plain HTTP, and if an evaluator trusts the server without one.
    public var result: TrustResult? { self.judgment.connection.trust }
    /// The decision of the program's own evaluator, or `nil` if there is none.
    public var decision: ServerTrustDecision? { self.judgment.decision }
    /// `true` if the verdict takes account of the evidence that the server delivers in the handshake: a stapled OCSP response and
    /// SCTs of Certificate Transparency (``ServerTrustSettings/looksAtDeliveredEvidence``).
    public var sawDeliveredEvidence: Bool { self.judgment.sawDeliveredEvidence }
    /// `true` if the program's handler accepted a server that the rules refuse.
    public internal(set) var isAcceptedByHandler = false

    private let judgment: ConnectionJudgment

    init(_ judgment: ConnectionJudgment) {
        self.judgment = judgment
    }

    /// Creates the result for a load over plain HTTP.
    init(plain destination: ATSDestination, _ verdict: ATSVerdict) {
        self.init(ConnectionJudgment(destination, .plain, trust: nil, verdict: verdict, decision: nil))
    }

    /// Creates the result for a connection without TLS to which no rules apply.
    package init(withoutTLS destination: ATSDestination) {
        self.init(plain: destination, ATSRequirements().verdict(on: .plain))
    }
}

/// A channel to a server that the gate let through, and the facts about its connection.
public struct GatedChannel: Sendable {
    /// The channel, which is ready for the program's data.
    public let channel: any Channel
    /// The facts about the connection.
    public let connection: GatedConnection
}
