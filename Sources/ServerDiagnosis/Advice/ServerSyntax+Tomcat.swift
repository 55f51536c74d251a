//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// https://tomcat.apache.org/tomcat-10.1-doc/config/http.html#SSL_Support
    static let tomcat = ServerSyntax(
        place: "# attributes of the SSLHostConfig in conf/server.xml; lines with # are no part of it",
        versions: #"protocols="TLSv1.2+TLSv1.3""#,
        suites: { #"ciphers="\#($0.joined(separator: ":"))""# },
        name: \.openSSLName,
        groups: """
            # not there, and as Java's option: in bin/setenv.sh
            # CATALINA_OPTS="$CATALINA_OPTS -Djdk.tls.namedGroups=x25519,secp256r1,secp384r1"
            """,
        signatures: """
            # as Java's option, in bin/setenv.sh
            # CATALINA_OPTS="$CATALINA_OPTS -Djdk.tls.server.SignatureSchemes=\(Self.javaSignatures)"
            """,
        newSuites: """
            # attribute of the SSLHostConfig. Older releases have them in the attribute ciphers
            cipherSuites="\(Self.tomcatNewSuites)"
            """,
        certificate: "# in the SSLHostConfig, in place of its Certificate\n\(Self.tomcatFiles)",
        listening: { _, port in
            """
            # in the Service of conf/server.xml
            <Connector port="\(port)" protocol="HTTP/1.1" SSLEnabled="true" scheme="https" secure="true">
              <SSLHostConfig protocols="TLSv1.2+TLSv1.3">
                \(Self.tomcatFiles)
              </SSLHostConfig>
            </Connector>
            """
        },
        site: { host in
            """
            # in the Connector, with a certificate for the name
            <SSLHostConfig hostName="\(host)">
              \(Self.tomcatFiles)
            </SSLHostConfig>
            """
        },
        defaultSite: { port in
            """
            # attribute of the Connector of port \(port): the name of the SSLHostConfig that is to answer
            defaultSSLHostConfigName="_default_"
            """
        },
        applicationProtocols: """
            # in the Connector
            <UpgradeProtocol className="org.apache.coyote.http2.Http2Protocol" />
            """,
        extendedMasterSecret: "# Java does it since 8u161, not a setting: update it. TLS 1.3 always does it:",
        redirect: """
            # Write https:// into the application's base URL. Where a proxy before Tomcat speaks TLS and sends
            # X-Forwarded-Proto: in the Host
            <Valve className="org.apache.catalina.valves.RemoteIpValve" protocolHeader="X-Forwarded-Proto" />
            """)

    private static let tomcatFiles =
        #"<Certificate certificateFile="conf/fullchain.pem" certificateKeyFile="conf/privkey.pem" />"#
    private static let tomcatNewSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384"
    private static let javaSignatures =
        "ecdsa_secp256r1_sha256,ecdsa_secp384r1_sha384,rsa_pss_rsae_sha256,rsa_pkcs1_sha256"
}
