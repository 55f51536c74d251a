//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import ServerTrustCommand

/// What changed for administrators in 2026, each with a server that shows it, the answers of curl, OpenSSL and Java, and the
/// same after the advice was followed.
@Suite(
    "Changes of 2026", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: ["curl", "openssl"].allSatisfy { CommandLineTool.installed($0) != nil }, "curl or openssl is missing"))
struct Changes2026Tests {
    @Test("A missing intermediate is named, with the clients that fail without it; sent, all accept")
    func missingIntermediate() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            var leaf = RealAuthority.Leaf()
            leaf.extensions += "authorityInfoAccess=caIssuers;URI:http://127.0.0.1:9/ca.der\n"
            leaf.isWhole = false
            try await authority.issue(leaf, as: "site")
            let before = try await Self.answers(in: folder)
            #expect(before.ours.contains("The issuer of “a.test”, CN=Intermediate, was not sent"), "\(before.ours)")
            #expect(
                before.ours.contains("curl, OpenSSL, Java, Android and most other clients do not"), "\(before.ours)")
            #expect(before.accepted == before.all(false), "\(before.accepted)")
            try authority.assemble("site", isWhole: true)
            let after = try await Self.answers(in: folder)
            #expect(after.accepted == after.all(true), "\(after.accepted) \(after.ours)")
        }
    }

    @Test("A revoked intermediate is named with its issuer and number; another one for the same key, and all accept")
    func revokedIntermediate() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await Self.revokeIntermediate(authority)
            let lists = ["--crl", folder.path("root.crl"), "--crl", folder.path("ca.crl"), "--revocation", "soft"]
            let before = try await Self.answers(in: folder, ours: lists, lists: folder.path("all.crl"))
            #expect(
                before.ours.contains("The intermediate “Intermediate”, issued by “CN=Root” with the serial number"),
                "\(before.ours)")
            #expect(before.ours.contains("another certificate for the same key"))
            // Java looks at no list unless it is told to.
            #expect(before.accepted.filter { $0.key != "Java" }.values.allSatisfy { !$0 }, "\(before.accepted)")
            try await authority.openssl([
                "x509", "-req", "-in", "ca.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "1825", "-out",
                "ca.pem", "-extfile", "authority.ext", "-set_serial", "77",
            ])
            try authority.assemble("site", isWhole: true)
            let after = try await Self.answers(in: folder, ours: lists, lists: folder.path("all.crl"))
            #expect(after.accepted == after.all(true), "\(after.accepted) \(after.ours)")
        }
    }

    @Test(
        "A client certificate without clientAuth is named, as public authorities issue them now; a private one is accepted"
    )
    func clientAuthentication() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await authority.issue(RealAuthority.Leaf(), as: "client")
            let demanding = ["-tls1_2", "-Verify", "3", "-verify_return_error", "-CAfile", folder.path("root.pem")]
            let before = try await Self.answers(in: folder, settings: demanding, client: "client")
            #expect(
                before.ours.contains("[client-auth-missing") && before.ours.contains("[client-identity-refused"),
                "\(before.ours)")
            #expect(before.ours.contains("Public authorities stopped issuing clientAuth in 2026"))
            #expect(before.accepted.filter { $0.key != "servertrust" }.values.allSatisfy { !$0 }, "\(before.accepted)")
            var own = RealAuthority.Leaf()
            own.extensions = own.extensions.replacing("serverAuth", with: "clientAuth")
            try await authority.issue(own, as: "client")
            let after = try await Self.answers(in: folder, settings: demanding, client: "client")
            #expect(after.accepted == after.all(true), "\(after.accepted) \(after.ours)")
            #expect(after.ours.contains("[client-identity-accepted") && !after.ours.contains("client-auth-missing"))
        }
    }

    @Test("An Ed448 key is named, which OpenSSL accepts and Apple's systems do not; with P-256 all accept")
    func ed448() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(key: ["ED448"]), as: "site")
            let before = try await Self.answers(in: folder)
            #expect(before.ours.contains("Ed448") && before.accepted["servertrust"] == false, "\(before.ours)")
            #expect(before.accepted["OpenSSL"] == true)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let after = try await Self.answers(in: folder)
            #expect(after.accepted == after.all(true), "\(after.accepted) \(after.ours)")
        }
    }
}

extension Changes2026Tests {
    /// The answers of all clients to one server.
    private struct Answers {
        var accepted: [String: Bool] = [:]
        var ours = ""

        func all(_ value: Bool) -> [String: Bool] { self.accepted.mapValues { _ in value } }
    }

    private static func answers(
        in folder: TemporaryFolder, settings: [String] = [], ours options: [String] = [], lists: String? = nil,
        client: String? = nil
    ) async throws -> Answers {
        var answers = Answers()
        let root = folder.path("root.pem")
        let files = client.map { (folder.path("\($0).pem"), folder.path("\($0).key")) }
        try await RealServer(product: .openssl, settings: settings).run(in: folder) { port in
            let identity = files.map { ["--cert", $0.0, "--key", $0.1] } ?? []
            let own = try await CommandLineTool.servertrust(
                ["check", "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", root, "--anchors-only"] + identity
                    + options)
            answers.ours = own.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            answers.accepted["servertrust"] = own.status == 0
            let curl = try await CommandLineTool.run(
                try #require(CommandLineTool.installed("curl")),
                [
                    "-qs", "--noproxy", "*", "--cacert", root, "--resolve", "a.test:\(port):127.0.0.1", "--max-time",
                    "3",
                    "-o", "/dev/null", "https://a.test:\(port)/",
                ] + identity + (lists.map { ["--crlfile", $0] } ?? []))
            // Of its codes these are about TLS, https://curl.se/docs/manpage.html.
            answers.accepted["curl"] = ![35, 51, 53, 54, 56, 58, 59, 60, 77, 80, 82, 83].contains(curl.status)
            // s_client reads one list of a file.
            let verifying = [
                "verify", "-CAfile", root, "-untrusted", folder.path("site.pem"), "-crl_check_all", "-CRLfile",
                lists ?? "", folder.path("site.leaf"),
            ]
            let connecting =
                [
                    "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "a.test", "-verify_hostname", "a.test",
                    "-CAfile", root, "-verify_return_error",
                ] + (files.map { ["-cert", $0.0, "-cert_chain", $0.0, "-key", $0.1] } ?? [])
            let openSSL = try await CommandLineTool.run(
                try #require(CommandLineTool.installed("openssl")), lists == nil ? connecting : verifying)
            answers.accepted["OpenSSL"] = openSSL.status == 0
            guard let java = CommandLineTool.installed("java"), CommandLineTool.installed("javac") != nil else {
                return
            }
            let program = try folder.file("Connect.java", Self.javaProgram)
            var arguments = [program, "\(port)", root]
            if let client {
                let openssl = try #require(CommandLineTool.installed("openssl"))
                let made = try await CommandLineTool.run(
                    openssl,
                    [
                        "pkcs12", "-export", "-in", folder.path("\(client).pem"), "-inkey",
                        folder.path("\(client).key"),
                        "-out", folder.path("client.p12"), "-passout", "pass:right",
                    ])
                #expect(made.status == 0, "\(made.errors)")
                arguments.append(folder.path("client.p12"))
            }
            let finished = try await CommandLineTool.run(java, arguments)
            answers.accepted["Java"] = finished.status == 0
        }
        return answers
    }

    /// Revokes the intermediate, and writes the lists of both authorities.
    private static func revokeIntermediate(_ authority: RealAuthority) async throws {
        let folder = authority.folder
        // The same root, which may sign lists, too.
        try await authority.openssl([
            "req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Root", "-days", "3650", "-out", "root.pem",
            "-addext",
            "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        ])
        for name in ["root", "ca"] {
            let configuration = """
                [ca]
                default_ca = own
                [own]
                database = \(name).index
                crlnumber = \(name).number
                certificate = \(name).pem
                private_key = \(name).key
                default_md = sha256
                default_crl_days = 30

                """
            _ = try folder.file("\(name).cnf", configuration)
            _ = try folder.file("\(name).index", "")
            _ = try folder.file("\(name).number", "01\n")
        }
        try await authority.openssl(["ca", "-config", "root.cnf", "-revoke", "ca.pem"])
        for name in ["root", "ca"] {
            try await authority.openssl(["ca", "-config", "\(name).cnf", "-gencrl", "-out", "\(name).crl"])
        }
        try await authority.shell("cat root.crl ca.crl > all.crl")
    }

    /// Shakes hands with a.test at a port of 127.0.0.1; the roots are in a file, and a client's key perhaps in another.
    private static let javaProgram = """
        import java.io.*;
        import java.net.*;
        import java.security.*;
        import java.security.cert.*;
        import javax.net.ssl.*;

        public class Connect {
            public static void main(String[] arguments) throws Exception {
                KeyStore roots = KeyStore.getInstance("PKCS12");
                roots.load(null, null);
                try (InputStream file = new FileInputStream(arguments[1])) {
                    roots.setCertificateEntry("root", CertificateFactory.getInstance("X.509").generateCertificate(file));
                }
                TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
                trust.init(roots);
                KeyManager[] keys = null;
                if (arguments.length > 2) {
                    KeyStore own = KeyStore.getInstance("PKCS12");
                    try (InputStream file = new FileInputStream(arguments[2])) { own.load(file, "right".toCharArray()); }
                    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
                    factory.init(own, "right".toCharArray());
                    keys = factory.getKeyManagers();
                }
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keys, trust.getTrustManagers(), null);
                Socket plain = new Socket("127.0.0.1", Integer.parseInt(arguments[0]));
                plain.setSoTimeout(10000);
                SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "a.test", 443, true);
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                socket.close();
            }
        }

        """
}
