//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A conversation with a server: bytes in, bytes out, until TLS may begin.
///
/// It opens no connection and has no clock. The caller sends the bytes of ``start()`` and of each step, passes received bytes to
/// ``receive(_:)``, and gives up when a server stays silent. The result does not depend on how the bytes are split.
public struct StartTLSConversation: Sendable {
    /// The protocol of the conversation.
    public let `protocol`: StartTLSProtocol
    private var driver: NegotiationDriver
    private var firstByte: UInt8?
    /// The client's last command or request, in words, or `nil` if the server's greeting is awaited.
    package private(set) var unanswered: String?

    /// The description of an answer that begins like TLS.
    static let recordOfTLS = "a record of TLS"

    /// The next step of the caller.
    public enum Step: Sendable, Hashable {
        /// Wait for more bytes.
        case wait
        /// Send these bytes, then wait.
        case send([UInt8])
        /// Send these bytes and begin TLS at once, because the server does not acknowledge them (MySQL).
        case sendLast([UInt8])
        /// Begin TLS.
        case ready
        /// Give up: the server refused, or its answer is not valid.
        case refused(StartTLSRefusal)
    }

    /// Creates a conversation with a server.
    ///
    /// - Parameters:
    ///   - protocol: The protocol before TLS.
    ///   - serverName: The server's name, which XMPP sends. Characters that XMPP does not allow are left out.
    public init(_ protocol: StartTLSProtocol, serverName: String) {
        self.protocol = `protocol`
        self.driver = NegotiationDriver(Self.negotiation(of: `protocol`, serverName: serverName))
    }

    /// Returns the bytes to send first. They are empty if the server speaks first.
    public mutating func start() -> [UInt8] {
        let request = self.driver.start()
        if !request.isEmpty { self.unanswered = self.protocol.title(of: request) }
        return request
    }

    /// Consumes received bytes and returns the next step.
    ///
    /// After ``Step/ready`` or a refusal the conversation is over. Any further bytes are a reason to refuse.
    public mutating func receive(_ bytes: [UInt8]) -> Step {
        self.firstByte = self.firstByte ?? bytes.first
        do {
            return switch try self.driver.receive(bytes) {
            case .incomplete, .proceed: .wait
            case .send(let bytes): self.sending(bytes)
            case .sendLast(let bytes): .sendLast(bytes)
            case .ready: .ready
            }
        } catch {
            return .refused(StartTLSRefusal(self.protocol, self.reason(of: error)))
        }
    }

    private mutating func sending(_ request: [UInt8]) -> Step {
        self.unanswered = self.protocol.title(of: request)
        return .send(request)
    }

    /// Recognizes a server that speaks TLS at once: it begins with an alert or a handshake record (RFC 8446 §5.1).
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
