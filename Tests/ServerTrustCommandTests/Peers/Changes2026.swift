//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

/// One change of 2026: a server that shows it, the clients that refuse it, and the advice.
struct Change2026: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The clients that refuse the server before the advice is followed. The others accept it before and afterwards.
    let refusing: Set<PeerClient>
    /// What is said before, and not afterwards.
    let words: [String]
    /// The product that runs the server, where it is not OpenSSL.
    var product: RealProduct?
    /// Makes the server.
    let make: @Sendable (TemporaryFolder) async throws -> ChangedServer
    /// Follows the advice.
    let follow: @Sendable (inout ChangedServer, TemporaryFolder) async throws -> Void

    static let all = [
        missingIntermediate, revokedIntermediate, rotatedIntermediate, clientAuthentication, ed448, mlDSA,
        publicLifetime, timestamps, mustStaple, largeHello,
    ]
}

// MARK: - Authorities

extension Change2026 {
    private static let missingIntermediate = Change2026(
        testDescription: "An intermediate that is not sent", refusing: PeerClient.usual,
        words: [
            "The issuer of “a.test”, CN=Intermediate, was not sent",
            "curl, OpenSSL, Java, Android and most other clients do not",
        ]
    ) { folder in
        let authority = try await RealAuthority(folder)
        var leaf = RealAuthority.Leaf()
        leaf.extensions += "authorityInfoAccess=caIssuers;URI:http://127.0.0.1:9/ca.der\n"
        leaf.isWhole = false
        try await authority.issue(leaf, as: "site")
        return ChangedServer(authority: authority)
    } follow: { changed, _ in
        try changed.authority?.assemble("site", isWhole: true)
    }

    private static let revokedIntermediate = Change2026(
        testDescription: "An intermediate that is revoked", refusing: PeerClient.usual,
        words: [
            "The intermediate “Intermediate”, issued by “CN=Root” with the serial number",
            "another certificate for the same key",
        ]
    ) { folder in
        let authority = try await RealAuthority(folder)
        try await authority.issue(RealAuthority.Leaf(), as: "site")
        try await authority.revokeIntermediate()
        let lists = ["--crl", folder.path("root.crl"), "--crl", folder.path("ca.crl"), "--revocation", "soft"]
        let options = ["--roots", folder.path("root.pem"), "--anchors-only"] + lists
        return ChangedServer(authority: authority, options: options, lists: folder.path("all.crl"))
    } follow: { changed, _ in
        let authority = try #require(changed.authority)
        try await authority.openssl([
            "x509", "-req", "-in", "ca.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "1825", "-out",
            "ca.pem", "-extfile", "authority.ext", "-set_serial", "77",
        ])
        try authority.assemble("site", isWhole: true)
    }

    /// The pins are of the intermediate before. No other client has them.
    private static let rotatedIntermediate = Change2026(
        testDescription: "A pin of an intermediate that was replaced", refusing: [.servertrust], words: ["-not-pinned"]
    ) { folder in
        let authority = try await RealAuthority(folder)
        let before = try Self.pin(of: "ca.pem", in: folder)
        try await authority.replaceIntermediate()
        try await authority.issue(RealAuthority.Leaf(), as: "site")
        let pins = try folder.file("pins", "a.test \(before)\n")
        return ChangedServer(
            authority: authority, options: ["--roots", folder.path("root.pem"), "--anchors-only", "--pins", pins])
    } follow: { _, folder in
        // “Pin the server's own key, or the authority's root.”
        _ = try folder.file("pins", "a.test \(try Self.pin(of: "root.pem", in: folder))\n")
    }

    private static func pin(of name: String, in folder: TemporaryFolder) throws -> Pin {
        let text = try String(contentsOfFile: folder.path(name), encoding: .utf8)
        return Pin(keyOf: try Certificate(pem: text))
    }

    /// The server is fine, and refuses the client.
    private static let clientAuthentication = Change2026(
        testDescription: "A client certificate without clientAuth, as public authorities issue them",
        refusing: [.curl, .openssl, .java],
        words: [
            "[client-auth-missing", "[client-identity-refused", "Public authorities stopped issuing clientAuth in 2026",
        ]
    ) { folder in
        let authority = try await RealAuthority(folder)
        try await authority.issue(RealAuthority.Leaf(), as: "site")
        try await authority.issue(RealAuthority.Leaf(), as: "client")
        var changed = ChangedServer(authority: authority, client: "client")
        changed.server.settings = [
            "-tls1_2", "-Verify", "3", "-verify_return_error", "-CAfile", folder.path("root.pem"),
        ]
        return changed
    } follow: { changed, _ in
        var own = RealAuthority.Leaf()
        own.extensions = own.extensions.replacing("serverAuth", with: "clientAuth")
        try await changed.authority?.issue(own, as: "client")
    }
}

// MARK: - Keys

extension Change2026 {
    private static let ed448 = Change2026(
        testDescription: "An Ed448 key", refusing: [.servertrust], words: ["its key is Ed448", "on P-256"]
    ) { folder in
        let authority = try await RealAuthority(folder)
        try await authority.issue(RealAuthority.Leaf(key: ["ED448"]), as: "site")
        return ChangedServer(authority: authority)
    } follow: { changed, _ in
        try await changed.authority?.issue(RealAuthority.Leaf(), as: "site")
    }

    /// OpenSSL makes such keys and serves with them since version 3.5, which Node brings along. The certificate is made in code: Node
    /// makes none, and Debian's OpenSSL is older.
    private static let mlDSA = Change2026(
        testDescription: "An ML-DSA key", refusing: PeerClient.usual.subtracting(PeerClient.postQuantum),
        words: ["ML-DSA-65", "on P-256"], product: .node
    ) { folder in
        let (root, issuer) = (CraftedAuthority("Root", .p256(1)), CraftedAuthority("Intermediate", .p256(12)))
        let script = """
            const pair = require('crypto').generateKeyPairSync('ml-dsa-65');
            console.log(pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'));
            console.error(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
            """
        let made = try await CommandLineTool.run(try #require(CommandLineTool.installed("node")), ["-e", script])
        let info = try #require(Data(base64Encoded: made.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        let leaf = issuer.leafTemplate {
            $0.key = Array(info)
            $0.subject = TestDER.name([[.cn("a.test")]])
            $0.set(.alternativeNames([.dns("a.test")]))
            $0.notBefore = PublicSite.time(.now.addingTimeInterval(-86_400))
            $0.notAfter = PublicSite.time(.now.addingTimeInterval(89 * 86_400))
        }
        _ = try folder.file("root.pem", Certificate(try root.authority()).pemRepresentation)
        try PublicSite.write([leaf.view()], below: issuer, root, key: made.errors, in: folder)
        return ChangedServer(server: RealServer(product: .node))
    } follow: { _, folder in
        try await RealAuthority(folder).issue(RealAuthority.Leaf(), as: "site")
    }

    /// Clients with a hello of one segment notice nothing.
    private static let largeHello = Change2026(
        testDescription: "A box that drops hellos with ML-KEM",
        refusing: PeerClient.postQuantum.union([.servertrust]),
        words: ["Hellos with a post-quantum key, as Apple's systems send them, come to nothing"], product: .node
    ) { folder in
        let authority = try await RealAuthority(folder)
        try await authority.issue(RealAuthority.Leaf(), as: "site")
        let options = ["--roots", folder.path("root.pem"), "--anchors-only", "--ats", "default"]
        return ChangedServer(
            authority: authority, server: RealServer(product: .node), options: options, dropsLargeHellos: true)
    } follow: { changed, _ in
        changed.dropsLargeHellos = false
    }
}

// MARK: - Rules of public authorities

extension Change2026 {
    /// The longest lifetime that public authorities may issue for today, in days.
    private static var limit: Int {
        let moments = [("2029-03-15T00:00:00Z", 47), ("2027-03-15T00:00:00Z", 100)]
        return moments.first { Timestamp($0.0).map { Date($0) < .now - 86_400 } ?? false }?.1 ?? 200
    }

    private static let publicLifetime = Change2026(
        testDescription: "A lifetime that public authorities may not issue any more", refusing: [],
        words: ["at most \(limit) days since", "[public-lifetime"]
    ) { folder in
        let site = try PublicSite(folder)
        try site.issue(from: .now - 86_400, seconds: 390 * 86_400, logs: PublicSite.allLogs)
        return ChangedServer(options: site.options)
    } follow: { _, folder in
        let seconds = Self.limit * 86_400 - 1
        try PublicSite(folder).issue(from: .now - 86_400, seconds: seconds, logs: PublicSite.allLogs)
    }

    private static let timestamps = Change2026(
        testDescription: "Timestamps that Apple's page does not count", refusing: [],
        words: ["static-ct-api alone", "[apples-page-on-timestamps"]
    ) { folder in
        let site = try PublicSite(folder)
        try site.issue(from: .now - 86_400, seconds: 40 * 86_400, logs: PublicSite.staticLogs)
        return ChangedServer(options: site.options)
    } follow: { _, folder in
        try PublicSite(folder).issue(from: .now - 86_400, seconds: 40 * 86_400, logs: PublicSite.allLogs)
    }

    /// curl, OpenSSL and Java do not look for the response, unless they are told to. GnuTLS, Debian's other library, does.
    private static let mustStaple = Change2026(
        testDescription: "Must-staple without a responder", refusing: [.gnutls],
        words: ["It names no responder that could give one", "have it issued without must-staple"]
    ) { folder in
        let authority = try await RealAuthority(folder)
        var leaf = RealAuthority.Leaf()
        leaf.extensions += "tlsfeature=status_request\n"
        try await authority.issue(leaf, as: "site")
        return ChangedServer(authority: authority, clients: PeerClient.usual.union([.gnutls]))
    } follow: { changed, _ in
        try await changed.authority?.issue(RealAuthority.Leaf(), as: "site")
    }
}

extension RealAuthority {
    /// Revokes the intermediate, and writes the lists of both authorities.
    fileprivate func revokeIntermediate() async throws {
        // The same root, which may sign lists, too.
        try await self.openssl([
            "req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Root", "-days", "3650", "-out", "root.pem",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
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
            _ = try self.folder.file("\(name).cnf", configuration)
            _ = try self.folder.file("\(name).index", "")
            _ = try self.folder.file("\(name).number", "01\n")
        }
        try await self.openssl(["ca", "-config", "root.cnf", "-revoke", "ca.pem"])
        for name in ["root", "ca"] {
            try await self.openssl(["ca", "-config", "\(name).cnf", "-gencrl", "-out", "\(name).crl"])
        }
        try await self.shell("cat root.crl ca.crl > all.crl")
    }

    /// Has another intermediate with another key issue from now on.
    fileprivate func replaceIntermediate() async throws {
        try await self.openssl(["genpkey", "-algorithm"] + Self.p256 + ["-out", "ca.key"])
        try await self.openssl(["req", "-new", "-key", "ca.key", "-subj", "/CN=Successor", "-out", "ca.csr"])
        try await self.openssl([
            "x509", "-req", "-in", "ca.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "1825", "-out", "ca.pem",
            "-extfile", "authority.ext",
        ])
    }
}
