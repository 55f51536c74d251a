//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// The syntax of Envoy (https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/transport_sockets/tls/v3/common.proto).
    static let envoy = ServerSyntax(
        place: "# in tls_params, in common_tls_context of the DownstreamTlsContext",
        versions: "tls_minimum_protocol_version: TLSv1_2\ntls_maximum_protocol_version: TLSv1_3",
        suites: { names in "cipher_suites:\n" + names.map { "  - \($0)" }.joined(separator: "\n") },
        name: { Self.boringSSL.contains($0.rawValue) ? $0.openSSLName : nil },
        groups: "ecdh_curves: [X25519, P-256, P-384]",
        signatures: """
            # in tls_params, in common_tls_context of the DownstreamTlsContext
            signature_algorithms:
              - ecdsa_secp256r1_sha256
              - ecdsa_secp384r1_sha384
              - rsa_pss_rsae_sha256
              - rsa_pkcs1_sha256
            """,
        newSuites: "# Envoy's library always takes them: what answers is not Envoy, or something before it.",
        certificate: "# in common_tls_context of the DownstreamTlsContext\n\(Self.envoyFiles)",
        listening: { _, port in
            """
            # in the filter chain of the listener of port \(port)
            transport_socket:
              name: envoy.transport_sockets.tls
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                common_tls_context:
                  tls_params:
                    tls_minimum_protocol_version: TLSv1_2
                    tls_maximum_protocol_version: TLSv1_3
            \(Self.envoyFiles.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
            """
        },
        site: { host in
            "# a filter chain of its own, with a certificate for the name\nfilter_chain_match: { server_names: [\(host)] }"
        },
        defaultSite: { _ in
            "# in the listener, a filter chain with a certificate and without server_names:\ndefault_filter_chain:"
        },
        applicationProtocols: """
            # in common_tls_context of the DownstreamTlsContext
            alpn_protocols: [h2, http/1.1]
            """,
        extendedMasterSecret: """
            # Envoy's library always does it: what answers is not Envoy, or something before it.
            # With TLS 1.3 no client needs it:
            """,
        redirect: Self.envoyRedirect)

    private static let envoyFiles = """
        tls_certificates:
          - certificate_chain: { filename: /etc/envoy/fullchain.pem }
            private_key: { filename: /etc/envoy/privkey.pem }
        """

    /// The redirect filter (https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/lua_filter).
    private static let envoyRedirect = """
        # Write https:// into the application's base URL, or have it go by X-Forwarded-Proto, which Envoy sends. Where
        # neither can be: in http_filters of the HTTP connection manager, before envoy.filters.http.router
        - name: envoy.filters.http.lua
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
            default_source_code:
              inline_string: |
                function envoy_on_response(handle)
                  local location = handle:headers():get("location")
                  if location then
                    handle:headers():replace("location", (location:gsub("^http:", "https:")))
                  end
                end
        """

    /// The suites of TLS 1.2 in BoringSSL (ssl_cipher.cc). Envoy does not start with any other.
    private static let boringSSL: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009C, 0x009D, 0x002F, 0x0035,
    ]
}
