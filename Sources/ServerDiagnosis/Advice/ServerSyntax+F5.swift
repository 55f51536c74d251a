//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// https://clouddocs.f5.com/cli/tmsh-reference/latest/modules/ltm/ltm_profile_client-ssl.html
    static let f5 = ServerSyntax(
        place: "# in tmsh, with the name of the virtual server's client SSL profile for site",
        versions: """
            modify ltm profile client-ssl site options { dont-insert-empty-fragments no-sslv3 no-tlsv1 no-tlsv1.1 }
            """,
        suites: { names in
            "modify ltm profile client-ssl site cipher-group none ciphers "
                + (["TLS13-AES128-GCM-SHA256", "TLS13-AES256-GCM-SHA384"] + names).joined(separator: ":")
        },
        name: { Self.tmm.contains($0.rawValue) ? $0.openSSLName : nil },
        groups: """
            create ltm cipher rule site_groups cipher DEFAULT dh-groups X25519:P256:P384
            create ltm cipher group site_groups allow add { site_groups }
            modify ltm profile client-ssl site ciphers none cipher-group site_groups
            """,
        signatures: """
            # in tmsh, with the name of the virtual server's client SSL profile for site
            create ltm cipher rule site_signatures cipher DEFAULT signature-algorithms \(Self.f5Signatures)
            create ltm cipher group site_signatures allow add { site_signatures }
            modify ltm profile client-ssl site ciphers none cipher-group site_signatures
            """,
        newSuites: """
            # in tmsh; since BIG-IP 14.1. The option no-tlsv1.3 of the profile has to be taken away
            modify ltm profile client-ssl site cipher-group none ciphers TLS13-AES128-GCM-SHA256:DEFAULT
            """,
        certificate: "# in tmsh, with the name of the virtual server's client SSL profile for site\n\(Self.f5Files)",
        listening: { _, port in
            """
            # in tmsh, with the server's own address and pool
            create ltm virtual site_\(port) destination 192.0.2.1:\(port) ip-protocol tcp pool site profiles add { tcp http site { context clientside } }
            \(Self.f5Files)
            """
        },
        site: { host in
            """
            # in tmsh, in a client SSL profile of the virtual server with a certificate for the name
            modify ltm profile client-ssl site server-name \(host)
            """
        },
        defaultSite: { port in
            """
            # in tmsh, in the client SSL profile that is to answer at port \(port)
            modify ltm profile client-ssl site sni-default true
            """
        },
        applicationProtocols: """
            # in tmsh, with the name of the virtual server
            modify ltm virtual site profiles add { http2 { context clientside } }
            """,
        extendedMasterSecret: "# The release of BIG-IP does it, not a setting: update it. TLS 1.3 always does it:",
        redirect: """
            # Write https:// into the application's base URL. An application that goes by X-Forwarded-Proto has to be sent
            # it: in tmsh, with the name of the virtual server's HTTP profile
            modify ltm profile http site header-insert "X-Forwarded-Proto: https" redirect-rewrite all
            """)

    private static let f5Files = """
        install sys crypto cert site from-local-file /var/tmp/fullchain.pem
        install sys crypto key site from-local-file /var/tmp/privkey.pem
        modify ltm profile client-ssl site cert-key-chain replace-all-with { site { cert site.crt key site.key chain site.crt } }
        """

    private static let f5Signatures = "ECDSA-SHA256:ECDSA-SHA384:RSA-PSS-SHA256:RSA-PKCS1-SHA256"

    /// The TLS 1.2 suites of BIG-IP's native TLS.
    private static let tmm: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009C, 0x009D, 0x002F, 0x0035,
    ]
}
