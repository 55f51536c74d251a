//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// The syntax of Caddy (https://caddyserver.com/docs/caddyfile/directives/tls).
    static let caddy = ServerSyntax(
        place: "# in the braces of the site's tls directive. Caddy's defaults would do",
        versions: "protocols tls1.2 tls1.3",
        suites: { "ciphers \($0.joined(separator: " "))" },
        name: { Self.go.contains($0.rawValue) ? $0.description : nil },
        groups: "curves x25519 secp256r1 secp384r1",
        signatures: """
            # Go's library signs over SHA-256 or better wherever a client offers it: what answers is not Caddy, or
            # something before it.
            """,
        newSuites: "# Go's library always takes them: what answers is not Caddy, or something before it.",
        certificate: "# the site's tls directive\ntls \(Self.caddyFiles)",
        listening: { host, port in
            """
            # the address of the site, with nothing or https:// before it, and in its block one tls directive
            https://\(host.contains(":") ? "[\(host)]" : host):\(port) {
                tls \(Self.caddyFiles) {
                    protocols tls1.2 tls1.3
                }
            }
            """
        },
        site: { "# the address of the site\nhttps://\($0) {\n    tls \(Self.caddyFiles)\n}" },
        defaultSite: { _ in
            "# in the global options, with the name of a site in place of www.example.com\ndefault_sni www.example.com"
        },
        applicationProtocols: """
            # in the braces of the site's tls directive. Without the line Caddy has them
            alpn h2 http/1.1
            """,
        extendedMasterSecret: """
            # Go's library does it since 1.21: update Caddy, and look at `caddy build-info`. TLS 1.3 always does it:
            """,
        // https://caddyserver.com/docs/caddyfile/directives/reverse_proxy
        redirect: """
            # Write https:// into the application's base URL, or have it go by X-Forwarded-Proto, which Caddy sends; and
            # look where redir has http://. Where neither can be: in the braces of reverse_proxy
            header_down Location ^http: https:
            """)

    private static let caddyFiles = "/etc/caddy/fullchain.pem /etc/caddy/privkey.pem"

    /// The suites that Go's crypto/tls regards as secure, which Caddy accepts.
    private static let go: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014,
    ]
}
