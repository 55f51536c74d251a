//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

// Servers with OpenSSL's library. They use its names of suites, and ignore unknown names.
extension ServerSyntax {
    /// The syntax of nginx (https://nginx.org/en/docs/http/ngx_http_ssl_module.html).
    static let nginx = ServerSyntax(
        place: "# in the server block",
        versions: "ssl_protocols TLSv1.2 TLSv1.3;",
        suites: { "ssl_ciphers \($0.joined(separator: ":"));" },
        name: \.openSSLName,
        groups: "ssl_ecdh_curve \(Self.groups);",
        signatures: """
            # in the server block; since nginx 1.19.4
            ssl_conf_command SignatureAlgorithms \(Self.signatures);
            """,
        newSuites: """
            # in the server block; since nginx 1.19.4
            ssl_conf_command Ciphersuites \(Self.newSuites);
            """,
        certificate: "# in the server block\n\(Self.nginxFiles)",
        listening: { _, port in
            """
            # in the server block, in place of its listen line without ssl
            listen \(port) ssl;
            ssl_protocols TLSv1.2 TLSv1.3;
            \(Self.nginxFiles)
            """
        },
        site: { "# in the server block, with a certificate for the name\nserver_name \($0);" },
        defaultSite: { port in
            """
            # in the server block that is to answer, in place of its listen line; without ssl_reject_handshake on
            listen \(port) ssl default_server;
            """
        },
        // https://nginx.org/en/docs/stream/ngx_stream_ssl_module.html
        applicationProtocols: """
            # A server of an http block always has them. In a server of a stream block, since nginx 1.21.4:
            # ssl_alpn h2 http/1.1;
            """,
        extendedMasterSecret: Self.library("nginx -V"),
        redirect: """
            # Write https:// into the application's base URL, and where return or rewrite have http://. An application
            # that goes by X-Forwarded-Proto has to be sent it: in the location, after proxy_pass
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_redirect default;
            proxy_redirect http:// https://;
            """)

    /// The syntax of Apache (https://httpd.apache.org/docs/2.4/mod/mod_ssl.html).
    static let apache = ServerSyntax(
        place: "# in the VirtualHost",
        versions: "SSLProtocol -all +TLSv1.2 +TLSv1.3",
        suites: { "SSLCipherSuite \($0.joined(separator: ":"))" },
        name: \.openSSLName,
        groups: "SSLOpenSSLConfCmd Groups \(Self.groups)",
        signatures: "# in the VirtualHost\nSSLOpenSSLConfCmd SignatureAlgorithms \(Self.signatures)",
        newSuites: "# in the VirtualHost\nSSLCipherSuite TLSv1.3 \(Self.newSuites)",
        certificate: "# in the VirtualHost\n\(Self.apacheFiles)",
        listening: { _, port in
            """
            # in the VirtualHost of port \(port), with mod_ssl loaded (a2enmod ssl)
            SSLEngine on
            SSLProtocol -all +TLSv1.2 +TLSv1.3
            \(Self.apacheFiles)
            """
        },
        site: { "# in the VirtualHost, with a certificate for the name\nServerAlias \($0)" },
        defaultSite: { port in
            """
            # before the first VirtualHost of port \(port), which answers connections that name no site
            SSLStrictSNIVHostCheck off
            """
        },
        // https://httpd.apache.org/docs/2.4/mod/core.html#protocols
        applicationProtocols: "# in the VirtualHost\nProtocols h2 http/1.1",
        extendedMasterSecret: Self.library("the first lines of Apache's error log"),
        redirect: """
            # Write https:// into the application's base URL, and where Redirect or RewriteRule have http://. An
            # application that goes by X-Forwarded-Proto has to be sent it: in the VirtualHost, with mod_headers loaded
            # (a2enmod headers)
            RequestHeader set X-Forwarded-Proto https
            Header edit Location ^http: https:
            """)

    private static let nginxFiles = """
        ssl_certificate /etc/ssl/site/fullchain.pem;
        ssl_certificate_key /etc/ssl/site/privkey.pem;
        """
    private static let apacheFiles = """
        SSLCertificateFile /etc/ssl/site/fullchain.pem
        SSLCertificateKeyFile /etc/ssl/site/privkey.pem
        """
    private static let groups = "X25519:prime256v1:secp384r1"
}

extension ServerSyntax {
    /// The syntax of HAProxy (https://docs.haproxy.org/3.0/configuration.html).
    static let haproxy = ServerSyntax(
        place: "# options of the bind line",
        versions: "ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.3",
        suites: { "ciphers \($0.joined(separator: ":"))" },
        name: \.openSSLName,
        groups: "curves X25519:P-256:P-384",
        signatures: """
            # options of the bind line, since HAProxy 2.8; before, it is for a newer OpenSSL to do
            sigalgs \(Self.signatures)
            """,
        newSuites: "# options of the bind line\nciphersuites \(Self.newSuites)",
        certificate: """
            # options of the bind line; site.pem holds the certificate, its intermediates and the key, in this order
            crt /etc/haproxy/site.pem
            """,
        listening: { _, port in
            """
            # in the frontend, in place of its bind line without ssl; site.pem holds the certificate, its intermediates
            # and the key, in this order
            bind :\(port) ssl crt /etc/haproxy/site.pem ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.3
            """
        },
        site: { "# options of the bind line, besides those there. The file is for \($0)\ncrt /etc/haproxy/site.pem" },
        defaultSite: { port in
            """
            # in the frontend, in place of its bind line: without strict-sni, the first certificate answers
            bind :\(port) ssl crt /etc/haproxy/site.pem
            """
        },
        applicationProtocols: "# options of the bind line\nalpn h2,http/1.1",
        extendedMasterSecret: Self.library("haproxy -vv"),
        redirect: """
            # Write https:// into the application's base URL. An application that goes by X-Forwarded-Proto has to be
            # sent it: in the frontend
            http-request set-header X-Forwarded-Proto https if { ssl_fc }
            http-response replace-header Location ^http:(.*) https:\\1 if { ssl_fc }
            """)

    /// Returns the comment about the TLS library. The option is described in SSL_CONF_cmd(3).
    static func library(_ source: String) -> String {
        """
        # The library does it, not a setting: OpenSSL 1.1.0 or newer, as \(source) shows, and no
        # "Options = -ExtendedMasterSecret" in openssl.cnf. TLS 1.3 (OpenSSL 1.1.1) always does it:
        """
    }

    /// The suites of RFC 8446 §B.4 without CCM.
    static let newSuites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    /// The signature algorithms in the syntax of SSL_CONF_cmd(3), since OpenSSL 1.1.1.
    static let signatures = "ECDSA+SHA256:ECDSA+SHA384:RSA-PSS+SHA256:RSA+SHA256"
}
