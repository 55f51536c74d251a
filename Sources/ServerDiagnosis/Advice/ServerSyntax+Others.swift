//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Servers on other libraries, which do not start with suites they have not.
extension ServerSyntax {
    /// https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/transport_sockets/tls/v3/common.proto
    static let envoy = ServerSyntax(
        place: "# in common_tls_context of the DownstreamTlsContext",
        versions: """
            tls_params:
              tls_minimum_protocol_version: TLSv1_2
              tls_maximum_protocol_version: TLSv1_3
            """,
        suites: { names in
            "tls_params:\n  cipher_suites:\n" + names.map { "  - \($0)" }.joined(separator: "\n")
        },
        name: { Self.boringSSL.contains($0.rawValue) ? $0.openSSLName : nil },
        certificate: """
            tls_certificates:
            - certificate_chain: { filename: /etc/envoy/fullchain.pem }
              private_key: { filename: /etc/envoy/privkey.pem }
            """,
        extendedMasterSecret: """
            # Envoy's library always does it: what answers is not Envoy, or something before it.
            # With TLS 1.3 nobody needs it:
            """,
        redirect: "redirect: { https_redirect: true }")

    /// https://caddyserver.com/docs/caddyfile/directives/tls
    static let caddy = ServerSyntax(
        place: "# in the site block; Caddy's defaults would do",
        versions: """
            tls {
                protocols tls1.2 tls1.3
            }
            """,
        suites: { names in "tls {\n    ciphers \(names.joined(separator: " "))\n}" },
        name: { Self.go.contains($0.rawValue) ? $0.description : nil },
        certificate: "tls /etc/caddy/fullchain.pem /etc/caddy/privkey.pem",
        extendedMasterSecret: """
            # Go's library does it since 1.21: update Caddy, and look at `caddy build-info`. TLS 1.3 always does it:
            """,
        redirect: "redir https://{host}{uri} permanent")

    /// What BoringSSL has of TLS 1.2 (ssl_cipher.cc).
    private static let boringSSL: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009C, 0x009D, 0x002F, 0x0035,
    ]

    /// What crypto/tls counts as secure, which is what Caddy takes.
    private static let go: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014,
    ]
}
