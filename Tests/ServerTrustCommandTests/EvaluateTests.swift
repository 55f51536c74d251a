//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing
import X509

@Suite("servertrust evaluate", .limitedConcurrency, .timeLimit(.minutes(10)))
struct EvaluateTests {
    @Test("The exit code is the verdict, and the first reason the right one", arguments: TestChain.allCases)
    func verdicts(chain: TestChain) async throws {
        let (certificates, root) = try chain.make()
        try await withTemporaryFolder { folder in
            let finished = try await Self.evaluate(certificates, root, folder, ["--format", "json"])
            let answer = try JSONDecoder().decode(EvaluateAnswer.self, from: Data(finished.output.utf8))
            #expect(finished.status == (chain.isTrusted ? 0 : 1), "\(finished.errors)")
            #expect(answer.evaluation.reasons.first?.code == chain.code)
            let text = try await Self.evaluate(certificates, root, folder, [])
            #expect(text.status == finished.status)
            #expect(text.output.hasPrefix(chain.isTrusted ? "TRUSTED  server.test\n" : "NOT TRUSTED  server.test\n"))
            for reason in answer.evaluation.reasons {
                #expect(text.output.contains(reason.message) && text.output.contains(reason.remedy))
            }
        }
    }

    @Test(
        "OpenSSL agrees, but where Apple's rules differ on purpose",
        .enabled(if: CommandLineTool.installed("openssl") != nil), arguments: TestChain.allCases
    )
    func openSSLAgrees(chain: TestChain) async throws {
        let openssl = try #require(CommandLineTool.installed("openssl"))
        let (certificates, root) = try chain.make()
        try await withTemporaryFolder { folder in
            let finished = try await CommandLineTool.run(
                openssl,
                [
                    "verify", "-no-CApath", "-no-CAstore", "-CAfile", try folder.file("root.pem", root),
                    "-untrusted", try folder.file("all.pem", certificates.joined()), "-purpose", "sslserver",
                    "-auth_level", "2", "-verify_hostname", TestChain.host,
                    try folder.file("leaf.pem", certificates[0]),
                ])
            let isTrusted = finished.status == 0
            let differs = TestChain.differsOnPurpose[chain] != nil
            #expect((isTrusted == chain.isTrusted) != differs, "\(finished.errors)")
        }
    }

    @Test("The moment of --at decides what is expired")
    func moments() async throws {
        let (certificates, root) = try TestChain.good.make()
        try await withTemporaryFolder { folder in
            let later = try await Self.evaluate(certificates, root, folder, ["--at", "2099-01-01"])
            #expect(later.status == 1 && later.output.contains("expired on"))
            #expect(later.output.contains("2099-01-01T00:00:00Z"))
            let now = try await Self.evaluate(certificates, root, folder, [])
            #expect(now.status == 0)
        }
    }

    @Test("Several files, PEM and DER, are one chain")
    func severalFiles() async throws {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate())
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]), by: intermediate)
        try await withTemporaryFolder { folder in
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("leaf.pem", leaf.pem),
                try folder.file("ca.der", contents: intermediate.der), "--host", "a.test",
                "--roots", try folder.file("root.pem", authority.root.pem), "--anchors-only",
            ])
            #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
        }
    }

    @Test(
        "A root that a person installed is judged as Apple judges it, and one that an app brings along more strictly",
        arguments: [("--roots", 1), ("--installed-roots", 0)] as [(String, Int32)])
    func installedRoots(option: String, status: Int32) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: [TestChain.host])
        description.extendedKeyUsages = nil
        let leaf = try authority.issue(description)
        try await withTemporaryFolder { folder in
            let arguments = [
                "evaluate", "--chain", try folder.file("chain.pem", leaf.pem), "--host", TestChain.host,
                option, try folder.file("root.pem", authority.root.pem), "--anchors-only", "--format", "json",
            ]
            let finished = try await CommandLineTool.servertrust(arguments)
            let answer = try JSONDecoder().decode(EvaluateAnswer.self, from: Data(finished.output.utf8))
            #expect(finished.status == status, "\(finished.output)\(finished.errors)")
            #expect(answer.evaluation.reasons.map(\.code) == (status == 0 ? [] : ["server-auth-missing"]))
            #expect(finished.output.contains("\"anchorClass\" : \"\(status == 0 ? "user" : "app")\""))
        }
    }

    @Test("A root that is named both as installed and as an app's is judged as an app's")
    func strictestClass() async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: [TestChain.host])
        description.extendedKeyUsages = nil
        let leaf = try authority.issue(description)
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("chain.pem", leaf.pem), "--host", TestChain.host,
                "--installed-roots", root, "--roots", root,
            ])
            #expect(finished.status == 1)
            let system = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("chain.pem", leaf.pem), "--host", TestChain.host,
                "--installed-roots", "system",
            ])
            #expect(system.status == 2 && system.errors.contains("--roots"), "\(system.errors)")
        }
    }

    @Test("This machine's store is trusted where it is asked for, and an unusable one is an error then")
    func systemStore() async throws {
        let (certificates, root) = try TestChain.good.make()
        try await withTemporaryFolder { folder in
            let chain = try folder.file("chain.pem", certificates.joined())
            let own = try folder.file("root.pem", root)
            let other = try folder.file("other.pem", TestAuthority().root.pem)
            let arguments = ["evaluate", "--chain", chain, "--host", TestChain.host]
            let machine = ["--roots", "system"]
            for (options, store, status) in [
                (machine, own, 0), (machine, other, 1), (machine + ["--roots", own], other, 0),
                (machine + ["--roots", other], own, 0), (["--roots", own], other, 0), (["--roots", other], own, 1),
                (["--roots", other, "--anchors-only"], own, 1), (machine + ["--anchors-only"], own, 0), ([], own, 1),
                (machine, folder.path("missing"), 2), ([], folder.path("missing"), 1),
                (["--roots", own, "--anchors-only"], folder.path("missing"), 0),
            ] as [([String], String, Int32)] {
                let finished = try await CommandLineTool.servertrust(
                    arguments + options, environment: ["SSL_CERT_FILE": store, "SSL_CERT_DIR": ""])
                #expect(finished.status == status, "\(options) \(finished.errors)")
            }
        }
    }

    @Test("Policies ask for different things of the same leaf")
    func policies() async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.extendedKeyUsages = [.clientAuth]
        let leaf = try authority.issue(description)
        try await withTemporaryFolder { folder in
            for (policy, status) in [
                (["--policy", "tls-client"], 0), (["--policy", "tls-client", "--host", "b.test"], 1),
                (["--policy", "basic"], 0), (["--any-host"], 1), (["--host", "a.test"], 1),
            ] as [([String], Int32)] {
                let finished = try await CommandLineTool.servertrust(
                    ["evaluate", "--chain", try folder.file("leaf", leaf.pem), "--anchors-only"]
                        + ["--roots", try folder.file("root", authority.root.pem)] + policy)
                #expect(finished.status == status, "\(policy) \(finished.output)\(finished.errors)")
            }
        }
    }

    @Test("The legacy profile takes what Apple's refuses")
    func profiles() async throws {
        let (certificates, root) = try TestChain.sha1.make()
        try await withTemporaryFolder { folder in
            let legacy = try await Self.evaluate(certificates, root, folder, ["--profile", "legacy"])
            #expect(legacy.status == 0)
            let webPKI = try await Self.evaluate(certificates, root, folder, ["--profile", "webpki"])
            #expect(webPKI.status == 1)
        }
    }

    @Test("A certificate of the roots that cannot be read is reported and left out")
    func storeIssues() async throws {
        let (certificates, root) = try TestChain.good.make()
        let rubbish = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        try await withTemporaryFolder { folder in
            let text = try await Self.evaluate(certificates, rubbish + root, folder, [])
            #expect(text.status == 0 && text.output.contains("certificate 1"))
            let json = try await Self.evaluate(certificates, rubbish + root, folder, ["--format", "json"])
            let answer = try JSONDecoder().decode(EvaluateAnswer.self, from: Data(json.output.utf8))
            #expect(answer.storeIssues.map(\.position) == [1])
        }
    }

    private static func evaluate(
        _ certificates: [String], _ root: String, _ folder: TemporaryFolder, _ options: [String]
    ) async throws -> Finished {
        try await CommandLineTool.servertrust(
            [
                "evaluate", "--chain", try folder.file("chain.pem", certificates.joined()), "--host", TestChain.host,
                "--roots", try folder.file("root.pem", root), "--anchors-only",
            ] + options)
    }
}
