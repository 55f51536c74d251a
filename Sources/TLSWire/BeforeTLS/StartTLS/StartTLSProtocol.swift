//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A protocol that is spoken in the clear before TLS begins.
public enum StartTLSProtocol: String, CaseIterable, Sendable, Hashable {
    /// Mail between servers and its submission (RFC 3207).
    case smtp
    /// Delivery of mail on the last hop (RFC 2033), which begins TLS as SMTP does.
    case lmtp
    /// Mail boxes (RFC 9051 §6.2.1).
    case imap
    /// Mail boxes, the older way (RFC 2595 §4).
    case pop3
    /// Rules for mail (RFC 5804 §2.2).
    case sieve
    /// News (RFC 4642).
    case nntp
    /// Files (RFC 4217).
    case ftp
    /// Directories (RFC 4511 §4.14).
    case ldap
    /// Messages, from a client (RFC 6120 §5).
    case xmpp
    /// Messages, from another server (RFC 6120 §5).
    case xmppServer = "xmpp-server"
    /// PostgreSQL's own protocol.
    case postgres
    /// MySQL's own protocol, and MariaDB's.
    case mysql

    /// The port that the protocol has in IANA's registry of services.
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

    /// Whether the server begins, with a greeting.
    public var serverSpeaksFirst: Bool {
        switch self {
        case .smtp, .lmtp, .imap, .pop3, .sieve, .nntp, .ftp, .mysql: true
        case .ldap, .xmpp, .xmppServer, .postgres: false
        }
    }

    /// The protocol as people write it, such as `LDAP`.
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
