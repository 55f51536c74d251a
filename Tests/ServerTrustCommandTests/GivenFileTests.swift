//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("Nothing that is given is passed over in silence", .limitedConcurrency)
struct GivenFileTests {
    private func expect(
        _ scene: FaultScene, status: Int32 = 0, says text: String, complains complaint: String? = nil
    ) async throws {
        let finished = try await scene.judged()
        #expect(finished.status == status, "\(finished.output)\(finished.errors)")
        #expect(finished.output.contains(text), "\(finished.output)")
        if let complaint {
            #expect(finished.errors.contains(complaint), "\(finished.errors)")
        } else {
            #expect(finished.errors.isEmpty, "\(finished.errors)")
        }
    }

    @Test("A revocation list of another authority is told, and complained about")
    func otherList() async throws {
        let other = try TestRevocationList(CraftedAuthority("Other", .p256(78))).view()
        let scene = try FaultScene.leaf { _ in }.with(["--crl", "@other.crl"], files: ["other.crl": other.bytes])
        try await self.expect(
            scene, says: "other.crl: not needed: its issuer, “O=Test, CN=Other”, issued no certificate of the path.",
            complains: "other.crl was used for nothing")
    }

    @Test("An OCSP response that ended ten days ago is told with its end")
    func oldResponse() async throws {
        var response = TestOCSPResponse(signer: FaultScene.issuer.key)
        (response.issuerName, response.issuerKey) = (FaultScene.issuer.name, FaultScene.issuer.key)
        (response.thisUpdate, response.producedAt) = ("20260515000000Z", "20260515000000Z")
        response.nextUpdate = "20260522000000Z"
        let scene = try FaultScene.leaf { $0.serialNumber = DER.number(4_711) }
            .with(["--ocsp", "@old.ocsp"], files: ["old.ocsp": response.view().bytes])
        try await self.expect(
            scene, says: "old.ocsp: unusable: it ended on 2026-05-22T00:00:00Z.",
            complains: "old.ocsp was used for nothing")
    }

    @Test("A root behind a byte order mark is read")
    func byteOrderMark() async throws {
        var scene = try FaultScene.leaf { _ in }
        let root = [0xEF, 0xBB, 0xBF] + Array(FaultScene.pem(scene.roots).utf8)
        scene.roots = []
        try await self.expect(
            scene.with(["--anchors-only", "--roots", "@bom.pem"], files: ["bom.pem": root]), says: "bom.pem: used.")
    }

    @Test("The same certificate twice, and a stranger, are told")
    func duplicates() async throws {
        var scene = try FaultScene.leaf { _ in }
        scene.chain += [scene.chain[1], try CraftedAuthority("Stranger", .p256(77)).authority()]
        try await self.expect(
            scene,
            says: "2 used; 1 not needed: the same was given before; 1 not needed: it issued no certificate of the path."
        )
        let finished = try await scene.judged()
        #expect(finished.output.contains("[duplicates, RFC 8446 §4.4.2]"))
        #expect(finished.output.contains("[strangers, RFC 8446 §4.4.2]"))
    }

    @Test("A root that the path does not end at, and a list of timestamps that is not one, are complained about")
    func useless() async throws {
        let other = FaultScene.pem([try CraftedAuthority("Other", .p256(78)).authority()])
        let scene = try FaultScene.leaf { _ in }
            .with(
                ["--roots", "@other.pem", "--sct", "@sct"], files: ["other.pem": Array(other.utf8), "sct": [1, 2, 3]])
        try await self.expect(
            scene, says: "other.pem: not needed: the path ends at no certificate of it.",
            complains: "other.pem was used for nothing")
        try await self.expect(
            scene, says: "sct: unusable: it is not a SignedCertificateTimestampList (RFC 6962 §3.3).",
            complains: "sct was used for nothing")
    }

    @Test("A root that no path ends at is not called needless")
    func withoutPath() async throws {
        var scene = try FaultScene.leaf { _ in }
        scene.roots = [try CraftedAuthority("Other", .p256(78)).authority()]
        let words = "no path ends at a certificate of it"
        try await self.expect(
            scene, status: 1, says: "root.pem: \(words).", complains: "root.pem was used for nothing: \(words)")
    }

    @Test("A key in the file of a chain is passed over, and told")
    func key() async throws {
        let scene = try FaultScene.leaf { _ in }
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        let chain = Array((FaultScene.pem(scene.chain) + key).utf8)
        try await self.expect(
            scene.with(["--chain", "@bundle.pem"], files: ["bundle.pem": chain]),
            says: "; 1 × PRIVATE KEY in it was passed over.", complains: "bundle.pem was used for nothing")
    }

    @Test(
        "A key, a request and a list among roots are named, as is a public key in the file of a chain",
        arguments: [
            ("PRIVATE KEY", "1 × PRIVATE KEY in it was passed over"),
            ("CERTIFICATE REQUEST", "1 × CERTIFICATE REQUEST in it was passed over"),
            ("PUBLIC KEY", "1 × PUBLIC KEY in it was passed over"),
        ])
    func besideRoots(label: String, text: String) async throws {
        var scene = try FaultScene.leaf { _ in }
        let block = "-----BEGIN \(label)-----\nMAA=\n-----END \(label)-----\n"
        let (roots, chain) = (FaultScene.pem(scene.roots) + block, FaultScene.pem(scene.chain) + block)
        scene.roots = []
        try await self.expect(
            scene.with(["--anchors-only", "--roots", "@bundle.pem"], files: ["bundle.pem": Array(roots.utf8)]),
            says: "bundle.pem: used; \(text).")
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", FaultScene.pem(try FaultScene.leaf { _ in }.roots))
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("chain.pem", chain), "--host", "www.example.com", "--roots",
                root, "--anchors-only", "--at", "2026-06-01T00:00:00Z",
            ])
            #expect(finished.status == 0 && finished.output.contains("; \(text)."), "\(finished.output)")
        }
    }

    @Test("A revocation list among roots is left out, and told")
    func listAmongRoots() async throws {
        var scene = try FaultScene.leaf { _ in }
        let list = Data(try TestRevocationList(FaultScene.issuer).view().bytes).base64EncodedString()
        let block = "-----BEGIN X509 CRL-----\n\(list)\n-----END X509 CRL-----\n"
        let roots = Array((FaultScene.pem(scene.roots) + block).utf8)
        scene.roots = []
        try await self.expect(
            scene.with(["--anchors-only", "--roots", "@bundle.pem"], files: ["bundle.pem": roots]),
            says: "X509 CRL")
    }

    @Test(
        "Every command that connects names roots that are used for nothing, and what it passes over in them",
        .enabled(if: OpenSSLServer.path != nil, "openssl is not installed"),
        arguments: [
            ["check"], ["diagnose", "--no-redirects"], ["pin"], ["ats", "suggest"], ["scan"], ["pins", "check"],
        ])
    func rootsOfConnections(command: [String]) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem + "\n" + key)
            let other = try folder.file("other.pem", try TestAuthority().root.pem)
            try await OpenSSLServer.with([], [leaf, authority.root]) { port in
                let server = "a.test:\(port)"
                let named: [String] =
                    switch command[0] {
                    case "scan": [try folder.file("list", server)]
                    case "pins":
                        [
                            try folder.file("pins", "a.test \(Pin(keyOf: leaf.trustCertificate))\n"), "--pins-dialect",
                            "okhttp",
                            "--against", server,
                        ]
                    default: [server]
                    }
                let finished = try await CommandLineTool.servertrust(
                    command + named
                        + ["--connect-to", "127.0.0.1", "--anchors-only", "--roots", root, "--roots", other])
                #expect(finished.errors.contains("other.pem was used for nothing"), "\(finished.errors)")
                #expect(!finished.errors.contains("root.pem was used for nothing"), "\(finished.errors)")
                let all = finished.errors + finished.output
                #expect(all.contains("1 × PRIVATE KEY in it was passed over"), "\(all)")
            }
        }
    }

    @Test("JSON has each thing with its use, and each file")
    func json() async throws {
        let other = try TestRevocationList(CraftedAuthority("Other", .p256(78))).view()
        let scene = try FaultScene.leaf { _ in }.with(["--crl", "@other.crl"], files: ["other.crl": other.bytes])
        let finished = try await scene.judged(["--format", "json"])
        #expect(finished.output.contains(#""use" : "not-needed""#))
        #expect(finished.output.contains(#""reason" : "about-others""#))
        #expect(finished.output.contains(#""isUsed" : false"#))
    }

    @Test("A host without pins passes, and is refused where pins are required")
    func requiredPins() async throws {
        let pin = Pin(keyOf: Certificate(try FaultScene.leaf { _ in }.chain[0]))
        let file = Array("other.example.com \(pin)\nwww.example.com \(pin)\n".utf8)
        let arguments = ["--pins", "@pins", "--pins-dialect", "okhttp"]
        let scene = try FaultScene.leaf { _ in }.with(arguments, files: ["pins": file])
        try await self.expect(scene.with(["--require-pins"]), says: "pins: used (matched).")
        let misspelt = try FaultScene.leaf(host: "www.example.com") { _ in }
            .with(arguments, files: ["pins": Array("ww.example.com \(pin)\n".utf8)])
        try await self.expect(
            misspelt, says: "pins: not needed: it has no pins for this host", complains: "pins was used for nothing")
        try await self.expect(
            misspelt.with(["--require-pins"]), status: 1, says: "Pins are required for www.example.com",
            complains: "pins was used for nothing")
        let alone = try await FaultScene.leaf { _ in }.with(["--require-pins"]).judged()
        #expect(alone.status == 2 && alone.errors.contains("Add --pins FILE"))
    }

    @Test("A key of a file of pins that counts for nothing is told on standard error")
    func misspeltPins() async throws {
        let file = Self.infoPlist(
            "<key>NSPinnedDomains</key><dict><key>www.example.com</key><dict><key>NSPinnedCAIdentitys</key><array/></dict></dict>"
        )
        let scene = try FaultScene.leaf(host: "www.example.com") { _ in }
            .with(["--pins", "@Info.plist"], files: ["Info.plist": file])
        try await self.expect(
            scene, says: "Info.plist: not needed: it has no pins for this host",
            complains: "line 3: \"www.example.com\" has neither key with pins, and is not pinned. (and 1 more)")
    }

    @Test(
        "What of an Info.plist does not count is told by all that hold servers against it",
        arguments: [
            ["check", "127.0.0.1:1", "--ats"], ["diagnose", "127.0.0.1:1", "--plist"],
            ["get", "https://127.0.0.1:1/", "--ats"],
            ["ats", "explain"],
        ])
    func unreadPolicy(command: [String]) async throws {
        let contents = Self.infoPlist("<key>NSPinnedDomains</key><array/>\n<key>NSAlowsArbitraryLoads</key><true/>")
        try await withTemporaryFolder { folder in
            let file = try folder.file("Info.plist", contents: contents)
            let words = command[0] == "ats" ? [file, "https://127.0.0.1/"] : [file]
            let finished = try await CommandLineTool.servertrust(command + words)
            let complaint = "Info.plist: NSPinnedDomains of line 3, and 1 more, do not count as written"
            #expect(finished.errors.contains(complaint), "\(finished.errors)")
        }
    }

    private static func infoPlist(_ keys: String) -> [UInt8] {
        Array(
            """
            <plist><dict>
            <key>NSAppTransportSecurity</key><dict>
            \(keys)
            </dict></dict></plist>
            """.utf8)
    }
}
