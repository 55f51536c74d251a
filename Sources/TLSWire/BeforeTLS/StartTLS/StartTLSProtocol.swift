//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A protocol that is spoken in the clear before TLS begins.
///
/// A ``StartTLSConversation`` speaks it up to the point at which TLS begins.
public enum StartTLSProtocol: String, CaseIterable, Sendable, Hashable {
    /// SMTP, the transfer and submission of mail (RFC 3207).
    case smtp
    /// LMTP, the delivery of mail on its last hop (RFC 2033). It begins TLS like SMTP.
    case lmtp
    /// IMAP, access to mailboxes (RFC 9051 §6.2.1).
    case imap
    /// POP3, the older access to mailboxes (RFC 2595 §4).
    case pop3
    /// ManageSieve, the management of mail filters (RFC 5804 §2.2).
    case sieve
    /// NNTP, Usenet news (RFC 4642).
    case nntp
    /// FTP, the transfer of files (RFC 4217).
    case ftp
    /// LDAP, access to directories (RFC 4511 §4.14).
    case ldap
    /// XMPP, messages from a client (RFC 6120 §5).
    case xmpp
    /// XMPP, messages from another server (RFC 6120 §5).
    case xmppServer = "xmpp-server"
    /// The protocol of PostgreSQL.
    case postgres
    /// The protocol of MySQL and MariaDB.
    case mysql

    /// The port of the protocol in IANA's registry of services.
    public var defaultPort: Int {
        switch self {
        case .smtp: 25
        case .lmtp: 24
        case .imap: 143
        case .pop3: 110
        case .sieve: 4190
        case .nntp: 119
        case .ftp: 21
        case .ldap: 389
        case .xmpp: 5222
        case .xmppServer: 5269
        case .postgres: 5432
        case .mysql: 3306
        }
    }

    /// `true` if the server speaks first, with a greeting.
    public var serverSpeaksFirst: Bool {
        switch self {
        case .smtp, .lmtp, .imap, .pop3, .sieve, .nntp, .ftp, .mysql: true
        case .ldap, .xmpp, .xmppServer, .postgres: false
        }
    }

    /// Returns the title of a client's request: the command of a protocol of lines, or a description.
    func title(of request: [UInt8]) -> String {
        switch self {
        case .ldap, .postgres, .mysql: return "the request for TLS in \(self.title)"
        case .xmpp, .xmppServer:
            return request.starts(with: "<starttls".utf8) ? "starttls" : "the opening of the stream"
        case .smtp, .lmtp, .imap, .pop3, .sieve, .nntp, .ftp: break
        }
        // A server that answers ahead of its turn gets several commands at once, and is waited for after the last.
        let lines = request.split { $0 == 0x0D || $0 == 0x0A }
        let words = String(printable: lines.last ?? []).split(separator: " ")
        // IMAP has a tag before the command, and the name of the client follows EHLO.
        return switch self {
        case .imap: words.dropFirst().joined(separator: " ")
        case .smtp, .lmtp: String(words.first ?? "")
        default: words.joined(separator: " ")
        }
    }

    /// The usual spelling of the protocol's name, such as `LDAP`.
    public var title: String {
        switch self {
        case .smtp, .lmtp, .imap, .pop3, .nntp, .ftp, .ldap, .xmpp: self.rawValue.uppercased()
        case .sieve: "ManageSieve"
        case .xmppServer: "XMPP between servers"
        case .postgres: "PostgreSQL"
        case .mysql: "MySQL"
        }
    }
}
