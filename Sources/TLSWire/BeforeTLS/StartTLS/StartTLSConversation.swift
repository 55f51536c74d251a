//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One conversation: bytes in, bytes out, until TLS may begin.
///
/// It opens no connection and knows no time: who drives it sends what ``start()`` and ``receive(_:)`` say, and gives up
/// when a server keeps silent. However the server's bytes are cut into pieces, the result is the same.
public struct StartTLSConversation: Sendable {
    /// What is spoken.
    public let `protocol`: StartTLSProtocol
    private var driver: NegotiationDriver
    private var firstByte: UInt8?

    /// How the beginning of TLS is named among what a server answers.
    static let recordOfTLS = "a record of TLS"

    /// What is to be done next.
    public enum Step: Sendable, Hashable {
        /// Wait for more bytes.
        case wait
        /// Send these, then wait.
        case send([UInt8])
        /// Send these, and begin TLS at once: the server says nothing to it (MySQL).
        case sendLast([UInt8])
        /// Begin TLS.
        case ready
        /// Give up.
        case refused(StartTLSRefusal)
    }

    /// A conversation with a server.
    ///
    /// - Parameters:
    ///   - protocol: What to speak.
    ///   - serverName: The server's name, which XMPP wants to be told. Whatever cannot be part of one is left out.
    public init(_ protocol: StartTLSProtocol, serverName: String) {
        self.protocol = `protocol`
        self.driver = NegotiationDriver(Self.negotiation(of: `protocol`, serverName: serverName))
    }

    /// What is to be sent before anything was received; empty where the server speaks first.
    public mutating func start() -> [UInt8] { self.driver.start() }

    /// Takes the next bytes.
    ///
    /// After ``Step/ready``, or a refusal, there is nothing more to come: bytes then are themselves a reason to refuse.
    public mutating func receive(_ bytes: [UInt8]) -> Step {
        self.firstByte = self.firstByte ?? bytes.first
        do {
            return switch try self.driver.receive(bytes) {
            case .incomplete, .proceed: .wait
            case .send(let bytes): .send(bytes)
            case .sendLast(let bytes): .sendLast(bytes)
            case .ready: .ready
            }
        } catch {
            return .refused(StartTLSRefusal(self.protocol, self.reason(of: error)))
        }
    }

    /// RFC 8446 §5.1: alerts and handshakes are what a server that speaks TLS at once begins with.
    private func reason(of error: NegotiationError) -> StartTLSRefusal.Reason {
        let beginsTLS = self.firstByte.map { (0x15...0x16).contains($0) } ?? false
        if case .unexpected = error, beginsTLS { return .unexpectedAnswer(beginning: Self.recordOfTLS) }
        return StartTLSRefusal.Reason(error)
    }

    private static func negotiation(of protocol: StartTLSProtocol, serverName: String) -> any Negotiation {
        switch `protocol` {
        case .smtp: MailTransferNegotiation(hello: "EHLO")
        case .lmtp: MailTransferNegotiation(hello: "LHLO")
        case .imap: IMAPNegotiation()
        case .pop3: CapabilityNegotiation(.pop3)
        case .sieve: SieveNegotiation()
        case .nntp: CapabilityNegotiation(.nntp)
        case .ftp: FTPNegotiation()
        case .ldap: LDAPNegotiation()
        case .xmpp: XMPPNegotiation(namespace: "jabber:client", serverName: serverName)
        case .xmppServer: XMPPNegotiation(namespace: "jabber:server", serverName: serverName)
        case .postgres: PostgresNegotiation()
        case .mysql: MySQLNegotiation()
        }
    }
}

extension StartTLSRefusal.Reason {
    init(_ error: NegotiationError) {
        switch error {
        case .notOffered: self = .notOffered
        case .rejected(let reply): self = .rejected(reply: reply)
        case .unexpected(let beginning): self = .unexpectedAnswer(beginning: beginning)
        case .tooMuch(let limit): self = .tooMuch(limit: limit)
        case .extraBytes: self = .extraBytes
        case .needsAuthentication, .failedAuthentication: self = .rejected(reply: "not without authentication")
        }
    }
}
