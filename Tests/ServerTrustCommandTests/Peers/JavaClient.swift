//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// Java's own client, compiled where there is a compiler. In continuous integration there is to be one.
enum JavaClient {
    /// Runs the client, which fails unless it accepts; `nil` without Java.
    ///
    /// - Parameters:
    ///   - arguments: `connect PORT ROOT P12 LISTS` or `validate CHAIN ROOT MILLISECONDS`. `-` stands for no file.
    ///   - folder: The folder of its class.
    static func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> Finished? {
        guard let compiler = CommandLineTool.installed("javac"), let java = CommandLineTool.installed("java") else {
            if ProcessInfo.processInfo.environment["CI"] != nil { Issue.record("Java has no compiler here") }
            return nil
        }
        if !FileManager.default.fileExists(atPath: folder.path("Client.class")) {
            let source = try folder.file("Client.java", Self.program)
            let compiled = try await CommandLineTool.run(compiler, ["-d", folder.url.path, source])
            try #require(compiled.status == 0, "\(compiled.errors)")
        }
        return try await CommandLineTool.run(
            java, ["-XX:TieredStopAtLevel=1", "-cp", folder.url.path, "Client"] + arguments)
    }

    private static let program = """
        import java.io.*;
        import java.net.*;
        import java.security.*;
        import java.security.cert.*;
        import java.util.*;
        import javax.net.ssl.*;

        public class Client {
            public static void main(String[] arguments) throws Exception {
                if (arguments[0].equals("connect")) {
                    connect(Integer.parseInt(arguments[1]), arguments[2], arguments[3], arguments[4]);
                } else {
                    validate(arguments[1], arguments[2], Long.parseLong(arguments[3]));
                }
            }

            static Collection<? extends java.security.cert.Certificate> certificates(String file) throws Exception {
                try (InputStream input = new FileInputStream(file)) {
                    return CertificateFactory.getInstance("X.509").generateCertificates(input);
                }
            }

            static KeyStore roots(String file) throws Exception {
                KeyStore roots = KeyStore.getInstance("PKCS12");
                roots.load(null, null);
                roots.setCertificateEntry("root", certificates(file).iterator().next());
                return roots;
            }

            /** Java looks at no list unless it is given some. */
            static TrustManagerFactory trust(String root, String lists) throws Exception {
                PKIXBuilderParameters rules = new PKIXBuilderParameters(roots(root), new X509CertSelector());
                rules.setRevocationEnabled(!lists.equals("-"));
                if (!lists.equals("-")) {
                    try (InputStream input = new FileInputStream(lists)) {
                        rules.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(
                            CertificateFactory.getInstance("X.509").generateCRLs(input))));
                    }
                }
                TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
                trust.init(new CertPathTrustManagerParameters(rules));
                return trust;
            }

            static KeyManager[] keys(String file) throws Exception {
                if (file.equals("-")) return null;
                KeyStore own = KeyStore.getInstance("PKCS12");
                try (InputStream input = new FileInputStream(file)) { own.load(input, "right".toCharArray()); }
                KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
                factory.init(own, "right".toCharArray());
                return factory.getKeyManagers();
            }

            static void connect(int port, String root, String identity, String lists) throws Exception {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keys(identity), trust(root, lists).getTrustManagers(), null);
                Socket plain = new Socket("127.0.0.1", port);
                plain.setSoTimeout(10000);
                SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "a.test", 443, true);
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                socket.close();
            }

            static void validate(String chain, String root, long milliseconds) throws Exception {
                PKIXParameters rules = new PKIXParameters(roots(root));
                rules.setRevocationEnabled(false);
                rules.setDate(new Date(milliseconds));
                CertPathValidator.getInstance("PKIX").validate(
                    CertificateFactory.getInstance("X.509").generateCertPath(new ArrayList<>(certificates(chain))), rules);
            }
        }

        """
}
