//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

// Mail servers with OpenSSL's library. They have no application protocols, and redirect no request.
extension ServerSyntax {
    /// The syntax of Postfix (https://www.postfix.org/postconf.5.html).
    static let postfix = ServerSyntax(
        place: "# in main.cf, in place of the settings of these names; Postfix 3.6 or newer",
        versions: """
            smtpd_tls_protocols = >=TLSv1.2
            smtpd_tls_mandatory_protocols = >=TLSv1.2
            """,
        suites: {
            """
            smtpd_tls_ciphers = high
            smtpd_tls_mandatory_ciphers = high
            tls_high_cipherlist = \($0.joined(separator: ":"))
            """
        },
        name: \.openSSLName,
        groups: """
            smtpd_tls_eecdh_grade = auto
            tls_eecdh_auto_curves = X25519, prime256v1, secp384r1
            """,
        signatures: Self.setting(
            of: "Since Postfix 3.9, tls_config_name names the section of openssl.cnf, which has:",
            "SignatureAlgorithms = \(Self.signatures)"),
        newSuites: Self.setting(
            of: "Since Postfix 3.9, tls_config_name names the section of openssl.cnf, which has:",
            "Ciphersuites = \(Self.newSuites)"),
        certificate: "# in main.cf; the key stands first\n\(Self.postfixFiles)",
        listening: { _, port in
            """
            # in main.cf, for STARTTLS at port \(port). A service of master.cf where TLS begins at once, such as that of
            # port 465, has -o smtpd_tls_wrappermode=yes
            smtpd_tls_security_level = may
            \(Self.postfixFiles)
            """
        },
        site: {
            """
            # in main.cf. The file /etc/postfix/sni has this line, and postmap -F hash:/etc/postfix/sni is run after it:
            # \($0) /etc/ssl/site/privkey.pem, /etc/ssl/site/fullchain.pem
            tls_server_sni_maps = hash:/etc/postfix/sni
            """
        },
        defaultSite: { _ in
            "# in main.cf, for connections that name no site; the key stands first\n\(Self.postfixFiles)"
        },
        applicationProtocols: Self.noProtocols,
        extendedMasterSecret: Self.library("ldd $(postconf -h daemon_directory)/smtpd"),
        redirect: Self.noRedirect)

    /// The syntax of Dovecot (https://doc.dovecot.org/2.3/configuration_manual/dovecot_ssl_configuration/).
    static let dovecot = ServerSyntax(
        place: "# in /etc/dovecot/conf.d/10-ssl.conf, in place of the settings of these names; Dovecot 2.3",
        versions: "ssl_min_protocol = TLSv1.2",
        suites: { "ssl_cipher_list = \($0.joined(separator: ":"))" },
        name: \.openSSLName,
        groups: "ssl_curve_list = X25519:prime256v1:secp384r1",
        signatures: Self.setting(
            of: "The section of openssl.cnf for all programs has:", "SignatureAlgorithms = \(Self.signatures)"),
        newSuites: """
            # in /etc/dovecot/conf.d/10-ssl.conf; since Dovecot 2.3.15
            ssl_cipher_suites = \(Self.newSuites)
            """,
        certificate: "# in /etc/dovecot/conf.d/10-ssl.conf\n\(Self.dovecotFiles)",
        listening: { _, port in
            """
            # in /etc/dovecot/conf.d/10-ssl.conf, for STARTTLS at port \(port) and for ports where TLS begins at once
            ssl = yes
            \(Self.dovecotFiles)
            """
        },
        site: {
            """
            # in /etc/dovecot/conf.d/10-ssl.conf, with a certificate for the name
            local_name \($0) {
              ssl_cert = </etc/ssl/site/fullchain.pem
              ssl_key = </etc/ssl/site/privkey.pem
            }
            """
        },
        defaultSite: { _ in
            """
            # in /etc/dovecot/conf.d/10-ssl.conf, outside of local_name, for connections that name no site
            \(Self.dovecotFiles)
            """
        },
        applicationProtocols: Self.noProtocols,
        extendedMasterSecret: Self.library("ldd /usr/lib/dovecot/libssl_iostream_openssl.so"),
        redirect: Self.noRedirect)

    private static let postfixFiles =
        "smtpd_tls_chain_files = /etc/ssl/site/privkey.pem, /etc/ssl/site/fullchain.pem"
    private static let dovecotFiles = """
        ssl_cert = </etc/ssl/site/fullchain.pem
        ssl_key = </etc/ssl/site/privkey.pem
        """
    private static let noProtocols =
        "# Apple's systems name no application protocol (RFC 7301) to mail servers. Look at what answers at the port."
    private static let noRedirect = "# Mail servers redirect no request. Look at what answers at the port."

    /// Returns the comment about a setting of the library alone, in the syntax of openssl.cnf (config(5)).
    private static func setting(of place: String, _ line: String) -> String {
        """
        # The program has no setting for it, and the library has one.
        # \(place)
        # \(line)
        """
    }
}
