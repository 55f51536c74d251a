//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOSSL
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

/// Servers with the faults that profiles stumble over.
private enum ProfileFault: String, CaseIterable {
    case none, oldVersion, oldSuites, expired, otherName, otherAuthority

    /// True if management accepts the server, and true if ordinary TLS does.
    var answers: (management: Bool, tls: Bool) {
        switch self {
        case .none: (true, true)
        case .oldSuites: (false, true)
        case .oldVersion, .expired, .otherName, .otherAuthority: (false, false)
        }
    }
}

@Suite(
    "servertrust diagnose, check, scan and show with a configuration profile", .limitedConcurrency,
    .timeLimit(.minutes(10)))
struct ProfileCommandTests {
    private let authority: TestAuthority

    init() throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        self.authority = try TestAuthority(root: root)
    }

    private func configuration(_ fault: ProfileFault) throws -> TestTLSServer.Configuration {
        var description = CertificateDescription.leaf(
            dnsNames: [], ipAddresses: fault == .otherName ? ["192.0.2.1"] : ["127.0.0.1"])
        description.keyKind = .rsa2048
        if fault == .expired { description.setValidity(from: .seconds(-9 * 86_400), lasting: .seconds(86_400)) }
        let leaf =
            try fault == .otherAuthority
            ? TestAuthority().issue(description) : self.authority.issue(description)
        var configuration = TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey)
        if fault == .oldVersion { configuration.maximumTLSVersion = .tlsv11 }
        if fault == .oldSuites {
            configuration.maximumTLSVersion = .tlsv12
            configuration.cipherSuites = [CipherSuite(rawValue: 0xC014)]
        }
        return configuration
    }

    private static let rootUUID = "BBBBBBBB-0000-0000-0000-000000000001"

    private var root: String {
        TestProfile.payload(
            "com.apple.security.root", "<key>PayloadContent</key>\(TestProfile.data(self.authority.root.der))",
            uuid: Self.rootUUID)
    }

    private func management(_ port: Int, _ keys: String = "") -> String {
        TestProfile.payload(
            "com.apple.mdm",
            TestProfile.string("ServerURL", "https://127.0.0.1:\(port)/mdm")
                + TestProfile.string("IdentityCertificateUUID", "aaaaaaaa-0000-0000-0000-000000000001") + keys)
    }

    private func clip(_ port: Int) -> String {
        TestProfile.payload("com.apple.webClip.managed", TestProfile.string("URL", "https://127.0.0.1:\(port)/"))
    }

    /// Runs a command on a profile about a server.
    private func run(
        _ command: [String] = ["diagnose"], _ fault: ProfileFault = .none, _ options: [String] = [],
        _ payloads: (Int) -> [String]
    ) async throws -> Finished {
        try await withTestServer(try self.configuration(fault)) { server in
            try await withTemporaryFolder { folder in
                let file = try folder.file("enrolment.mobileconfig", contents: TestProfile.xml(payloads(server.port)))
                return try await CommandLineTool.servertrust(command + [file] + options)
            }
        }
    }

    @Test("Each server is judged by the rule that holds for it", arguments: ProfileFault.allCases)
    private func rules(fault: ProfileFault) async throws {
        let managed = try await self.run(["diagnose"], fault) { port in
            [TestProfile.identity, self.root, self.management(port)]
        }
        #expect(managed.status == (fault.answers.management ? 0 : 1), "\(managed.output) \(managed.errors)")
        let sentence =
            fault.answers.management
            ? "Devices with 27.0 will enrol: 1 server passed."
            : "Devices with 27.0 will not enrol: 1 of 1 server fails."
        #expect(managed.output.contains(sentence), "\(managed.output)")
        let clip = try await self.run(["diagnose"], fault, ["--installed-by", "mdm"]) { port in
            [self.root, self.clip(port)]
        }
        #expect(clip.status == (fault.answers.tls ? 0 : 1), "\(clip.output) \(clip.errors)")
    }

    @Test("A root that a person installs does not count until full trust is enabled")
    func ownRoots() async throws {
        let person = try await self.run { port in [self.root, self.clip(port)] }
        #expect(person.status == 1, "\(person.output)")
        #expect(
            person.output.contains("accepted once full trust for “Throw-away Root CA” is enabled"), "\(person.output)")
        let configurator = try await self.run(["diagnose"], .none, ["--installed-by", "configurator"]) { port in
            [self.root, self.clip(port)]
        }
        #expect(configurator.status == 0, "\(configurator.output)")
        let without = try await self.run { port in [TestProfile.identity, self.management(port)] }
        #expect(without.status == 1 && !without.output.contains("full trust"), "\(without.output)")
    }

    @Test("Pins by payload hold, and a status that has to be known and is not refuses")
    func pins() async throws {
        func pins(_ uuid: String, _ more: String = "") -> String {
            "<key>ServerURLPinningCertificateUUIDs</key><array><string>\(uuid)</string></array>" + more
        }
        let other = TestProfile.payload(
            "com.apple.security.root",
            "<key>PayloadContent</key>\(TestProfile.data(try TestAuthority().root.der))",
            uuid: "CCCCCCCC-0000-0000-0000-000000000001")
        let hard = "<key>PinningRevocationCheckRequired</key><true/>"
        let cases: [(String, Int32, String)] = [
            (pins(Self.rootUUID), 0, "will enrol"),
            (pins("CCCCCCCC-0000-0000-0000-000000000001"), 1, "ServerURLPinningCertificateUUIDs"),
            (pins("DDDDDDDD-0000-0000-0000-000000000001"), 1, "names no certificate of the profile"),
            (pins(Self.rootUUID, hard), 1, "revo"),
        ]
        for (keys, status, word) in cases {
            let finished = try await self.run { port in
                [TestProfile.identity, self.root, other, self.management(port, keys)]
            }
            #expect(
                finished.status == status && finished.output.contains(word), "\(finished.output) \(finished.errors)")
        }
    }

    @Test("Other commands take the servers of a profile, and its roots")
    func commands() async throws {
        let payloads: (Int) -> [String] = { port in [TestProfile.identity, self.root, self.management(port)] }
        let check = try await self.run(["check"], .none, [], payloads)
        #expect(check.status == 0 && check.output.contains("TRUSTED"), "\(check.output) \(check.errors)")
        let scan = try await self.run(["scan"], .none, ["--quiet"], payloads)
        #expect(scan.status == 0 && scan.output.contains("127.0.0.1"), "\(scan.output) \(scan.errors)")
        let suggestion = try await self.run(["ats", "suggest"], .none, [], payloads)
        #expect(suggestion.status == 0, "\(suggestion.output) \(suggestion.errors)")
        try await withTestServer(try self.configuration(.none)) { server in
            try await withTemporaryFolder { folder in
                let file = try folder.file("roots.mobileconfig", contents: TestProfile.xml([self.root]))
                let check = try await CommandLineTool.servertrust([
                    "check", "127.0.0.1:\(server.port)", "--roots", file,
                ])
                #expect(check.status == 0, "\(check.output) \(check.errors)")
                let show = try await CommandLineTool.servertrust(["show", file])
                #expect(show.status == 0 && show.output.contains("a configuration profile"), "\(show.output)")
            }
        }
    }

    @Test("The answer in JSON follows its schema, and other formats are those of diagnoses")
    func formats() async throws {
        let payloads: (Int) -> [String] = { port in [TestProfile.identity, self.root, self.management(port)] }
        let json = try await self.run(["diagnose"], .none, ["--format", "json"], payloads)
        #expect(json.output.contains("\"format\" : \"servertrust.profile/1\""), "\(json.output)")
        for (format, word) in [
            ("csv", "fcp"), ("html", "<!DOCTYPE html>"), ("junit", "<testsuites"), ("sarif", "2.1.0"),
        ] {
            let finished = try await self.run(["diagnose"], .none, ["--format", format], payloads)
            #expect(finished.status == 0 && finished.output.contains(word), "\(format): \(finished.errors)")
        }
    }

    /// Management whose pin is the root of the profile.
    private var pinnedManagement: String {
        let uuid =
            self.root.firstRange(of: "PayloadUUID</key><string>").map { self.root[$0.upperBound...].prefix(36) } ?? ""
        return self.management(
            1, "<key>ServerURLPinningCertificateUUIDs</key><array><string>\(uuid)</string></array>")
    }

    @Test("A profile that cannot be read, and options that do not go with one, are errors")
    func mistakes() async throws {
        try await withTemporaryFolder { folder in
            let broken = try folder.file("broken.mobileconfig", "<plist><dict>")
            let good = try folder.file("good.mobileconfig", contents: TestProfile.xml([self.clip(1)]))
            let pinned = try folder.file(
                "pinned.mobileconfig",
                contents: TestProfile.xml([TestProfile.identity, self.root, self.pinnedManagement]))
            let useless = try folder.file("useless.mobileconfig", contents: TestProfile.xml([self.management(1)]))
            let cases: [([String], String)] = [
                (["check", pinned], "pins its servers"), (["ats", "suggest", pinned], "pins its servers"),
                (["check", useless], "do not install"),
                (["check", "127.0.0.1:1", "--roots", useless], "do not install"),
                (["diagnose", broken], "no property list"), (["check", broken], "no property list"),
                (["diagnose", good, "a.test"], "alone"), (["diagnose", good, "--confirm"], "--confirm"),
                (["diagnose", "a.test", "--installed-by", "mdm"], "--installed-by"),
                (["diagnose", folder.path("none.mobileconfig")], "none.mobileconfig"),
            ]
            for (arguments, word) in cases {
                let finished = try await CommandLineTool.servertrust(arguments)
                #expect(finished.status == 2 && finished.errors.contains(word), "\(arguments): \(finished.errors)")
            }
        }
    }
}
