//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reason why there is no connection to a server, with the place on the way where it ended.
public struct ConnectionFailure: Error, Sendable, Hashable {
    /// The place on the way.
    public let stage: Stage
    /// The cause.
    public let cause: Cause

    /// A part of the way to a server.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// The look-up of the name.
        case name
        /// The connection to an address.
        case address
        /// The conversation with the proxy.
        case proxy
        /// The conversation with the server before TLS.
        case beforeTLS = "before-tls"
        /// The TLS handshake.
        case handshake
        /// The request and its response.
        case http
    }

    /// A cause, with its evidence.
    public enum Cause: Sendable, Hashable {
        /// The name has no address.
        case noAddress
        /// No address of the host is one that may be connected to.
        case forbiddenAddress
        /// Nothing listens at the port.
        case refused
        /// There is no way to the address. The text is a clause.
        case unreachable(String)
        /// The time was over.
        case timedOut
        /// The other side closed the connection.
        case closed
        /// The other side reset the connection.
        case reset
        /// This machine has no descriptor left for a connection, which says nothing about the server.
        case starved
        /// The proxy opened no connection.
        case proxy(ProxyRefusal)
        /// The server did not let TLS begin.
        case startTLS(StartTLSRefusal)
        /// The server ended the handshake with an alert.
        case alert(TLSAlertDescription)
        /// The server chose what was not offered, or nothing that was offered suits it. The text has BoringSSL's reasons.
        case nothingInCommon(String)
        /// The server sent more than is read of a handshake.
        case tooMuch
        /// The key usage of the server's certificate does not allow what its key is to do in the handshake (RFC 5280
        /// §4.2.1.3, RFC 8446 §4.4.2.2).
        case keyUsage
        /// The handshake breaks a rule of TLS. The text has BoringSSL's reasons.
        case violation(String)
        /// An error of another library ended the handshake. The text is the library's.
        case other(String)
    }

    /// A failure.
    public init(_ stage: Stage, _ cause: Cause) { (self.stage, self.cause) = (stage, cause) }

    /// The alert from the server; `nil` without one.
    public var alert: TLSAlertDescription? { if case .alert(let alert) = self.cause { alert } else { nil } }
}

extension ConnectionFailure: CustomStringConvertible {
    /// The cause as a sentence.
    public var description: String {
        switch self.cause {
        case .noAddress: "The name has no address."
        case .forbiddenAddress: "The host has no address that may be connected to."
        case .refused: "Nothing listens at the port."
        case .unreachable(let reason): "There is no connection: \(reason)."
        case .timedOut: "The time was over."
        case .closed: "The connection was closed."
        case .reset: "The connection was reset."
        case .starved: "This machine has no descriptor left for a connection."
        case .proxy(let refusal): "\(refusal)"
        case .startTLS(let refusal): "\(refusal)"
        case .alert(let alert): "The server ended the handshake with the alert \(alert)."
        case .nothingInCommon(let reasons): "The server chose what was not offered (\(reasons))."
        case .tooMuch: "The server sent more than is read of a handshake."
        case .keyUsage: "The key usage of the server's certificate does not allow the handshake."
        case .violation(let reasons), .other(let reasons): "The handshake failed (\(reasons))."
        }
    }
}
