//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Servers on OpenSSL's library: its names of suites, unknown ones of which are passed over.
extension ServerSyntax {
    /// https://nginx.org/en/docs/http/ngx_http_ssl_module.html
    static let nginx = ServerSyntax(
        place: "# in the server block",
        versions: "ssl_protocols TLSv1.2 TLSv1.3;",
        suites: { "ssl_ciphers \($0.joined(separator: ":"));" },
        name: \.openSSLName,
        certificate: """
            ssl_certificate /etc/ssl/site/fullchain.pem;
            ssl_certificate_key /etc/ssl/site/privkey.pem;
            """,
        extendedMasterSecret: Self.library("nginx -V"),
        redirect: "return 301 https://$host$request_uri;")

    /// https://httpd.apache.org/docs/2.4/mod/mod_ssl.html
    static let apache = ServerSyntax(
        place: "# in the VirtualHost",
        versions: "SSLProtocol -all +TLSv1.2 +TLSv1.3",
        suites: { "SSLCipherSuite \($0.joined(separator: ":"))" },
        name: \.openSSLName,
        certificate: """
            SSLCertificateFile /etc/ssl/site/fullchain.pem
            SSLCertificateKeyFile /etc/ssl/site/privkey.pem
            """,
        extendedMasterSecret: Self.library("the first lines of Apache's error log"),
        redirect: "RewriteEngine On\nRewriteRule ^ https://%{SERVER_NAME}%{REQUEST_URI} [R=301,L]")

    /// https://docs.haproxy.org/3.0/configuration.html
    static let haproxy = ServerSyntax(
        place: "# options of the bind line",
        versions: "bind :443 ssl crt /etc/haproxy/site.pem ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.3",
        suites: { "bind :443 ssl crt /etc/haproxy/site.pem ciphers \($0.joined(separator: ":"))" },
        name: \.openSSLName,
        certificate: """
            # site.pem holds the certificate, its intermediates and the key, in this order
            bind :443 ssl crt /etc/haproxy/site.pem
            """,
        extendedMasterSecret: Self.library("haproxy -vv"),
        redirect: "http-request redirect scheme https code 301 unless { ssl_fc }")

    /// SSL_CONF_cmd(3) has the option.
    private static func library(_ source: String) -> String {
        """
        # The library does it, not a setting: OpenSSL 1.1.0 or newer, as \(source) shows, and no
        # "Options = -ExtendedMasterSecret" in openssl.cnf. TLS 1.3 (OpenSSL 1.1.1) always does it:
        """
    }
}
