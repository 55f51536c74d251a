//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// https://docs.netscaler.com/en-us/citrix-adc/current-release/ssl.html
    static let netscaler = ServerSyntax(
        place: "# on NetScaler's command line, with the name of the virtual server for site",
        versions: "set ssl vserver site -ssl3 DISABLED -tls1 DISABLED -tls11 DISABLED -tls12 ENABLED -tls13 ENABLED",
        suites: { names in
            names.enumerated().map { "bind ssl vserver site -cipherName \($1) -cipherPriority \($0 + 1)" }
                .joined(separator: "\n")
        },
        name: { Self.netscalerNames[$0.rawValue] },
        groups: "bind ssl vserver site -eccCurveName P_256\nbind ssl vserver site -eccCurveName P_384",
        signatures: "# NetScaler signs over SHA-256 since release 11.1, not by a setting: update it.",
        newSuites: """
            # on NetScaler's command line, with the name of the virtual server for site
            bind ssl vserver site -cipherName TLS1.3-AES128-GCM-SHA256
            bind ssl vserver site -cipherName TLS1.3-AES256-GCM-SHA384
            """,
        certificate:
            "# on NetScaler's command line, with the name of the virtual server for site\n\(Self.netscalerFiles)",
        listening: { _, port in
            """
            # on NetScaler's command line, with the server's own address
            add lb vserver site SSL 192.0.2.1 \(port)
            \(Self.netscalerFiles)
            """
        },
        site: { host in
            """
            # on NetScaler's command line, with a certificate for \(host)
            set ssl vserver site -SNIEnable ENABLED
            bind ssl vserver site -certkeyName site -SNICert
            """
        },
        defaultSite: { port in
            """
            # on NetScaler's command line: the certificate for connections without a name, at port \(port)
            bind ssl vserver site -certkeyName site
            """
        },
        applicationProtocols: """
            # on NetScaler's command line, with the name of the virtual server for site
            add ns httpProfile site -http2 ENABLED
            set lb vserver site -httpProfileName site
            """,
        extendedMasterSecret: """
            # on NetScaler's command line, with the virtual server's SSL profile; since release 13.0
            set ssl profile site -allowExtendedMasterSecret YES
            # TLS 1.3 always does it:
            """,
        redirect: """
            # Write https:// into the application's base URL, or have it go by X-Forwarded-Proto. Where neither can be:
            # on NetScaler's command line, with the name of the virtual server for site
            set ssl vserver site -sslRedirect ENABLED -redirectPortRewrite ENABLED
            """)

    private static let netscalerFiles = """
        add ssl certKey site -cert /nsconfig/ssl/fullchain.pem -key /nsconfig/ssl/privkey.pem -bundle YES
        bind ssl vserver site -certkeyName site
        """

    private static let netscalerNames: [UInt16: String] = [
        0xC02B: "TLS1.2-ECDHE-ECDSA-AES128-GCM-SHA256", 0xC02C: "TLS1.2-ECDHE-ECDSA-AES256-GCM-SHA384",
        0xC02F: "TLS1.2-ECDHE-RSA-AES128-GCM-SHA256", 0xC030: "TLS1.2-ECDHE-RSA-AES256-GCM-SHA384",
        0xCCA8: "TLS1.2-ECDHE-RSA-CHACHA20-POLY1305", 0xCCA9: "TLS1.2-ECDHE-ECDSA-CHACHA20-POLY1305",
        0x009C: "TLS1.2-AES128-GCM-SHA256", 0x009D: "TLS1.2-AES256-GCM-SHA384",
        0xC013: "TLS1-ECDHE-RSA-AES128-SHA", 0xC014: "TLS1-ECDHE-RSA-AES256-SHA", 0x002F: "TLS1-AES-128-CBC-SHA",
        0x0035: "TLS1-AES-256-CBC-SHA",
    ]
}
