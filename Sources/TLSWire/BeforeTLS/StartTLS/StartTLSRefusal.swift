//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that TLS did not begin in a protocol before it.
///
/// Its description is a sentence for a person, and ``advice`` names the remedy.
public struct StartTLSRefusal: Error, Sendable, Hashable {
    /// The protocol of the conversation.
    public let `protocol`: StartTLSProtocol
    /// The reason for the refusal.
    public let reason: Reason

    /// A reason that TLS does not begin.
    public enum Reason: Sendable, Hashable {
        /// The server does not offer TLS in this protocol.
        case notOffered
        /// The server refused to continue or to begin TLS. The text is its reply in printable characters.
        case rejected(reply: String)
        /// The answer does not follow the protocol. The text is its beginning in printable characters.
        case unexpectedAnswer(beginning: String)
        /// The answer exceeds a limit, given in bytes, of a line or in all.
        case tooMuch(limit: Int)
        /// Bytes in the clear followed the server's agreement to begin TLS.
        ///
        /// An attacker on the network can insert such bytes, and a careless client takes them for protected ones.
        case extraBytes
    }

    /// Creates a refusal in a protocol.
    public init(_ protocol: StartTLSProtocol, _ reason: Reason) {
        self.protocol = `protocol`
        self.reason = reason
    }
}

extension StartTLSRefusal: CustomStringConvertible {
    /// The refusal in a sentence.
    public var description: String {
        let title = self.protocol.title
        return switch self.reason {
        case .notOffered: "The server does not offer TLS in \(title)."
        case .rejected(let reply): "The server refused in \(title): \(reply)"
        case .unexpectedAnswer(""): "The server does not speak \(title)."
        case .unexpectedAnswer(StartTLSConversation.recordOfTLS):
            "The server does not speak \(title) at this port: it speaks TLS at once."
        case .unexpectedAnswer(let beginning): "The server does not speak \(title), it answered: \(beginning)"
        case .tooMuch(let limit): "The server said more than \(limit) bytes in \(title) before TLS."
        case .extraBytes: "The server went on in the clear after it had let TLS begin in \(title)."
        }
    }

    /// `true` if the server's reply is temporary: its code begins with 4 (RFC 5321 §4.2.1, RFC 959 §4.2.1, RFC 3977 §3.2.1.1).
    public var mayPass: Bool {
        guard case .rejected(let reply) = self.reason, reply.first == "4" else { return false }
        return [.smtp, .lmtp, .ftp, .nntp].contains(self.protocol)
    }

    /// `true` if the server's configuration is the reason, and not its reply to this client at this time.
    package var isAboutServer: Bool {
        if case .rejected = self.reason { false } else { true }
    }

    /// The settings of common servers that enable TLS in the protocol.
    private var settings: String {
        switch self.protocol {
        case .smtp, .lmtp:
            " Postfix: smtpd_tls_security_level = may, and smtpd_tls_chain_files with the key and the certificates. "
                + "Exim: tls_advertise_hosts = *, tls_certificate and tls_privatekey."
        case .imap, .pop3, .sieve:
            " Dovecot: ssl = yes, ssl_cert = </path/fullchain.pem and ssl_key = </path/privkey.pem."
        case .ldap: " OpenLDAP: olcTLSCertificateFile and olcTLSCertificateKeyFile."
        case .postgres: " PostgreSQL: ssl = on, ssl_cert_file and ssl_key_file."
        case .mysql: " MySQL: ssl_cert and ssl_key."
        case .ftp: " vsftpd: ssl_enable=YES, rsa_cert_file and rsa_private_key_file."
        case .nntp, .xmpp, .xmppServer: ""
        }
    }

    /// The remedy.
    public var advice: String {
        switch self.reason {
        case .notOffered:
            "Enable TLS for \(self.protocol.title) at the server, or see whether another port has it.\(self.settings)"
        case .rejected where self.mayPass:
            "Look at the server's TLS settings, and whether it can read its certificate and key. If it was busy, try again "
                + "later.\(self.settings)"
        case .rejected:
            "Read the server's reply. If TLS is not available, look at the server's TLS settings and its certificate."
                + self.settings
        case .unexpectedAnswer(StartTLSConversation.recordOfTLS):
            "Leave the protocol before TLS out, or give the port at which \(self.protocol.title) begins "
                + "without TLS."
        case .unexpectedAnswer:
            "See whether the port is one of \(self.protocol.title), and not one where TLS begins at once."
        case .tooMuch: "See what answers at this port: nothing sensible says that much."
        case .extraBytes:
            "Update the server or the proxy in front of it: it mixes commands from before TLS with those after it (CVE-2011-0411)."
        }
    }
}
