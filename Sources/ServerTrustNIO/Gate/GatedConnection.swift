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
    public let destination: ATSDestination
    /// What was asked of it, and what it does not meet and was let through all the same, as the program's own evaluator or
    /// handler accepted it.
    public let verdict: ATSVerdict
    /// The version of TLS; `nil` for plain HTTP.
    public let version: TLSProtocolVersion?
    /// The cipher suite; `nil` for plain HTTP.
    public let cipherSuite: CipherSuite?
    /// The application protocol that was agreed on (ALPN, RFC 7301); `nil` when none was.
    public internal(set) var applicationProtocol: String?
    /// The evaluation of the server's chain; `nil` for plain HTTP, and where an evaluator trusts without one.
    public let result: TrustResult?
    /// What the program's own evaluator decided; `nil` without one.
    public let decision: ServerTrustDecision?
    /// The server's own certificate; `nil` for plain HTTP.
    package internal(set) var leaf: Certificate?
    /// Whether the program's handler accepted a server that the rules refuse.
    public internal(set) var isAcceptedByHandler = false
}

extension GatedConnection {
    /// What comes of a connection without TLS that no rules were asked about.
    package init(withoutTLS destination: ATSDestination) {
        self.init(
            destination: destination, verdict: ATSRequirements().verdict(on: .plain), version: nil, cipherSuite: nil,
            result: nil, decision: nil)
    }
}

/// A channel to a server that the gate let through.
public struct GatedChannel: Sendable {
    /// The channel. What the program writes is sent.
    public let channel: any Channel
    /// What came of the connection.
    public let connection: GatedConnection
}
