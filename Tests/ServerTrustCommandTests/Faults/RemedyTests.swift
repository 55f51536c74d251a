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
import X509

/// Every remedy is followed by a program, by its actions alone, and the same question is asked again.
@Suite("A remedy that is followed mends the fault", .limitedConcurrency)
struct RemedyTests {
    @Test("What is advised mends the fault, and brings no other", arguments: Fault.all + Fault.ofRareRules)
    func followed(fault: Fault) async throws {
        var scene = try fault.scene()
        let reasons = try await scene.reasons()
        #expect(!reasons.isEmpty, "\(fault.name)")
        for reason in reasons { scene = try scene.following(reason) }
        let second = try await scene.judged()
        #expect(second.status == 0, "\(fault.name): \(reasons.map(\.remedyActions)) \(second.output)\(second.errors)")
    }

    @Test(
        "A server that gets a fresh OCSP response to staple has no note any more",
        .enabled(if: CommandLineTool.installed("openssl") != nil),
        arguments: [["check"], ["diagnose", "--plan", "ats"]])
    func staple(command: [String]) async throws {
        let (authority, serial) = (try TestAuthority(), 4_711)
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.serialNumber = X509.Certificate.SerialNumber(serial)
        let leaf = try authority.issue(description)
        func output(until end: Date) async throws -> String {
            try await withTemporaryFolder { folder in
                let octets = try authority.root.response(about: serial, TestStatus(end: end)).bytes
                let options = ["-www", "-status_file", try folder.file("staple.ocsp", contents: octets)]
                return try await OpenSSLServer.with(options, [leaf, authority.root]) { port in
                    try await CommandLineTool.servertrust(
                        command + ["a.test:\(port)", "--connect-to", "127.0.0.1", "--anchors-only", "--roots"]
                            + [try folder.file("root.pem", authority.root.pem)]
                    ).output
                }
            }
        }
        let ended = try await output(until: .now.addingTimeInterval(-864_000))
        #expect(ended.contains("[staple-unusable") && ended.contains("it ended on"), "\(ended)")
        #expect(ended.contains("gets a new response before the old one ends") && !ended.contains("Turn OCSP"))
        let fresh = try await output(until: .now.addingTimeInterval(86_400))
        #expect(!fresh.contains("staple-unusable"), "\(fresh)")
    }

    @Test("Each rule has a fault that its remedy mends, or a reason why no program follows it")
    func coverage() async throws {
        var followed: Set<String> = []
        for fault in Fault.all + Fault.ofRareRules { followed.formUnion(try await fault.scene().reasons().map(\.code)) }
        // The rules on the form of certificates share one remedy, in one row.
        let codes = Set(TrustRule.all.map { $0.id.hasPrefix("certificate-rule/") ? "certificate-rule" : $0.id })
        let missing = codes.subtracting(followed).subtracting(Self.elsewhere.keys)
        #expect(missing.isEmpty, "\(missing.sorted())")
        #expect(Self.elsewhere.keys.allSatisfy { codes.contains($0) && !followed.contains($0) })
        #expect(Double(Self.elsewhere.count) <= 0.15 * Double(codes.count), "\(Self.elsewhere.count) of \(codes.count)")
    }

    /// The rules whose remedies no program can follow here, each with its reason.
    private static let elsewhere = [
        "blocked-root": "another public authority has to issue the certificate",
        "certificate-transparency": "logs of certificate transparency have to sign the certificate",
        "certificate-transparency/chrome": "logs of certificate transparency have to sign the certificate",
        "budget-exceeded": "the certificates are made to keep validators busy, and their maker has to stop",
        "too-many-intermediates": "a program raises the limit that it set itself",
    ]
}

/// A reason of a JSON report, as far as a program follows it.
private struct ToldReason: Decodable {
    let code: String
    let certificateIndex: Int
    let found: String
    let remedy: String
    let remedyActions: [String]
}

private struct ToldReport: Decodable {
    struct Evaluation: Decodable { let reasons: [ToldReason] }
    let evaluation: Evaluation
}

extension FaultScene {
    fileprivate func reasons() async throws -> [ToldReason] {
        let finished = try await self.judged(["--format", "json"])
        return try JSONDecoder().decode(ToldReport.self, from: Data(finished.output.utf8)).evaluation.reasons
    }

    /// The scene after the first action of a remedy was done.
    fileprivate func following(_ reason: ToldReason) throws -> FaultScene {
        let action = try #require(reason.remedyActions.first.flatMap(TrustRemedy.Action.init), "\(reason.code)")
        var scene = self
        switch action {
        case .renew, .makeKey, .useOtherAuthority, .useOtherIssuer, .useOtherRoot, .installAgain, .setClock,
            .changePolicy:
            try scene.install(at: 0)
        case .reissue: try scene.install(at: reason.certificateIndex)
        case .sendIntermediate, .fetchIssuer, .changeChain:
            scene.chain = [self.chain[0], try Self.root.authority(Self.issuer)]
        case .trustRoot:
            scene.roots += self.chain.filter(\.isSelfIssued) + [try Self.root.authority()]
        case .useOtherName:
            scene.host = try #require(reason.found.firstMatch(of: /[a-z*]+\.example\.com/).map { String($0.output) })
                .replacing("*", with: "www")
        case .updatePins: try scene.writePin(from: reason.remedy)
        case .giveStatus: try scene.giveStatus()
        case .staple: try scene.staple()
        default: Issue.record("\(action) is not followed")
        }
        return scene
    }

    /// Installs a certificate as its authority issues it, in place of the one at a position and of those that it leads to.
    private mutating func install(at index: Int) throws {
        let host = self.host
        let isRoot = index >= self.chain.count
        if isRoot || index == 0 { self.roots = [try Self.root.authority()] }
        guard !isRoot else { return }
        let leaf = try Self.issuer.leaf(.p256(310)) { leaf in
            leaf.set(.alternativeNames([ReferenceIdentity.isAddress(host) ? .ip(Self.octets(host)) : .dns(host)]))
            leaf.subject = TestDER.name([[.cn(host)]])
            leaf.serialNumber = DER.number(4_712)
        }
        self.chain = [index == 0 ? leaf : self.chain[0], try Self.root.authority(Self.issuer)]
    }

    private static func octets(_ host: String) -> [UInt8] { host.split(separator: ".").compactMap { UInt8($0) } }

    private mutating func writePin(from remedy: String) throws {
        let pin = try #require(remedy.firstMatch(of: /sha256\/[A-Za-z0-9+\/]{43}=/), "\(remedy)").output
        let file = """
            {"format": "servertrust.pins/1", "domains": [{"host": "\(self.host)", "pins": ["\(pin)"]}]}
            """
        self.files["pins.json"] = Array(file.utf8)
    }

    private mutating func giveStatus() throws {
        let lists = [try TestRevocationList(Self.issuer).view(), try TestRevocationList(Self.root).view()]
        for (index, list) in lists.enumerated() { self.files["new\(index).crl"] = list.bytes }
        // What did not count is given no longer.
        self.arguments = ["--crl", "@new0.crl", "--crl", "@new1.crl", "--revocation", "hard"]
    }

    private mutating func staple() throws {
        var response = TestOCSPResponse(signer: Self.issuer.key)
        (response.serial, response.issuerName, response.issuerKey) =
            (Self.octetsOfSerial(self.chain[0]), Self.issuer.name, Self.issuer.key)
        self.files["staple.ocsp"] = try response.view().bytes
        self.arguments += ["--ocsp", "@staple.ocsp"]
    }

    private static func octetsOfSerial(_ view: CertificateView) -> [UInt8] {
        DER.element(0x02, Certificate(view).serialNumber)
    }
}

extension ReferenceIdentity {
    fileprivate static func isAddress(_ host: String) -> Bool {
        if case .ipAddress? = try? ReferenceIdentity(host: host) { true } else { false }
    }
}
