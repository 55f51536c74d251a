//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
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

    @Test("A key in the file of a chain is passed over, and told")
    func key() async throws {
        let scene = try FaultScene.leaf { _ in }
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        let chain = Array((FaultScene.pem(scene.chain) + key).utf8)
        try await self.expect(
            scene.with(["--chain", "@bundle.pem"], files: ["bundle.pem": chain]),
            says: "; 1 × PRIVATE KEY in it was passed over.", complains: "bundle.pem was used for nothing")
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
            misspelt.with(["--require-pins"]), status: 1, says: "Something must be pinned for www.example.com",
            complains: "pins was used for nothing")
        let alone = try await FaultScene.leaf { _ in }.with(["--require-pins"]).judged()
        #expect(alone.status == 2 && alone.errors.contains("add --pins FILE"))
    }
}
