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

/// Every remedy is followed by a program, by its words alone, and the same question is asked again.
@Suite("A remedy that is followed mends the fault", .limitedConcurrency)
struct RemedyTests {
    private static let faults = Fault.all + Fault.ofRareRules + Fault.ofOtherPlaces

    @Test("What is advised mends the fault, and brings no other reason and no other note", arguments: Self.faults)
    func followed(fault: Fault) async throws {
        let scene = try fault.scene()
        let first = try await scene.told()
        #expect(!first.reasons.isEmpty, "\(fault.name)")
        // Each remedy names one way or several, and each way is to mend the fault.
        let ways = first.reasons.map { $0.ways.count }.max() ?? 0
        #expect(ways > 0, "\(fault.name): \(first.reasons.map(\.remedy)) is nothing that a program can follow")
        for way in 0..<ways {
            var mended = scene
            for reason in first.reasons {
                guard let action = reason.ways.indices.contains(way) ? reason.ways[way] : reason.ways.last else {
                    continue
                }
                guard !mended.hasReplaced(reason.certificateIndex, of: scene) else { continue }
                mended = try mended.following(reason, action)
            }
            let second = try await mended.told()
            let taken = "\(fault.name), way \(way): \(first.reasons.map(\.remedy))"
            #expect(second.reasons.map(\.code).isEmpty, "\(taken) \(second.reasons.map(\.found))")
            #expect(Set(second.notes.map(\.code)).subtracting(first.notes.map(\.code)).isEmpty, "\(taken)")
        }
    }

    @Test("An issuer that was not sent is fetched with the options that are printed")
    func fetched() async throws {
        try await withTemporaryFolder { folder in
            let issuer = try FaultScene.root.authority(FaultScene.issuer)
            _ = try folder.file("issuer.der", contents: issuer.bytes)
            let port = try #require(try await PeerServer.freePorts(1).first)
            try await RunningPeer.with(
                "python3", ["-m", "http.server", "\(port)", "--bind", "127.0.0.1", "-d", folder.url.path], ports: [port]
            ) {
                let url = DER.element(0x86, Array("http://127.0.0.1:\(port)/issuer.der".utf8))
                let access = DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), url))
                var scene = try FaultScene.leaf { $0.set(TestExtension("1.3.6.1.5.5.7.1.1", access)) }
                scene.chain.removeLast()
                let first = try await scene.judged()
                #expect(first.status == 1)
                scene.arguments = try Self.printedOptions(first.output)
                #expect(scene.arguments == ["--fetch-issuers"])
                // The rule against local addresses is printed with the option that lifts it.
                let second = try await scene.judged()
                #expect(second.status == 1)
                scene.arguments = try Self.printedOptions(first.output + second.output)
                #expect(
                    scene.arguments == ["--fetch-issuers", "--dangerously-allow-local-addresses"], "\(second.output)")
                let third = try await scene.judged(["--fetch-timeout", "600"])
                #expect(third.status == 0, "\(scene.arguments) \(third.output)")
                #expect(
                    third.output.contains("was fetched from http://127.0.0.1:\(port)/issuer.der"), "\(third.output)")
                scene.chain.append(issuer)
                let fourth = try await scene.judged()
                #expect(fourth.status == 0 && !fourth.output.contains("was fetched from"), "\(fourth.output)")
            }
        }
    }

    @Test("An issuer of version 1 below a root of version 1 is accepted with the option that is printed")
    func oldIssuers() async throws {
        var scene = try FaultScene.intermediate { $0.makeVersion1() }
        scene.roots = [try FaultScene.root.authority { $0.makeVersion1() }]
        let first = try await scene.judged()
        #expect(first.status == 1)
        scene.arguments = try Self.printedOptions(first.output)
        #expect(scene.arguments == ["--dangerously-accept-version-1-issuers"])
        let second = try await scene.judged()
        #expect(second.status == 0, "\(second.output)")
    }

    /// The options that a text says to give, without those that need a value.
    private static func printedOptions(_ text: String) throws -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let options = words.matches(of: #/(?:give|Give) (--[a-z0-9-]+)\./#).map { String($0.1) }
        // A reason and a note may name the same one.
        return options.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
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

    @Test("Each remedy of each rule has a fault that it mends, or a reason why no program follows it")
    func coverage() async throws {
        var followed: Set<RemedyPlace> = []
        for fault in Self.faults { followed.formUnion(try await fault.scene().told().reasons.compactMap(\.place)) }
        // The rules on the form of certificates share one remedy, in one row.
        let all = Set(
            TrustRule.all.flatMap { rule in
                rule.remedies.map { RemedyPlace(rule: rule.shortName, circumstance: $0.circumstance) }
            })
        let missing = all.subtracting(followed).subtracting(Self.elsewhere.keys)
        #expect(missing.isEmpty, "\(missing.map(\.description).sorted())")
        let needless = Self.elsewhere.keys.filter { !all.contains($0) || followed.contains($0) }
        #expect(needless.isEmpty, "\(needless.map(\.description).sorted())")
        #expect(Double(Self.elsewhere.count) <= 0.15 * Double(all.count), "\(Self.elsewhere.count) of \(all.count)")
    }

    /// The remedies that no program can follow here, each with its reason.
    private static let elsewhere: [RemedyPlace: String] = [
        RemedyPlace("blocked-root", .leaf): "another public authority has to issue the certificate",
        RemedyPlace("certificate-transparency", .leaf): "logs of certificate transparency have to sign",
        RemedyPlace("certificate-transparency", .unknownLogs): "logs of certificate transparency have to sign",
        RemedyPlace("certificate-transparency/chrome", .leaf): "logs of certificate transparency have to sign",
        RemedyPlace("certificate-transparency/chrome", .unknownLogs): "logs of certificate transparency have to sign",
        RemedyPlace("certificate-transparency/chrome", .fewOperators): "logs of certificate transparency have to sign",
        RemedyPlace("budget-exceeded", .leaf): "the certificates are made to keep validators busy",
        RemedyPlace("too-many-intermediates", .leaf): "a program raises the limit that it set itself",
        RemedyPlace("key-usage", .staticRSA): "FollowedAdviceTests follows it at real servers",
        RemedyPlace("key-usage", .leaf): "FollowedAdviceTests follows it at real servers",
        RemedyPlace("name-mismatch", .impossibleName): "the command takes no such name",
        RemedyPlace("eku", .oldVersion): "no policy of the command asks version 1 for a usage",
    ]
}

/// A rule and the circumstance that chooses its remedy.
struct RemedyPlace: Hashable, CustomStringConvertible {
    let rule: String
    let circumstance: TrustRemedy.Circumstance

    var description: String { "\(self.rule) \(self.circumstance.rawValue)" }

    init(rule: String, circumstance: TrustRemedy.Circumstance) {
        (self.rule, self.circumstance) = (rule, circumstance)
    }

    init(_ rule: String, _ circumstance: TrustRemedy.Circumstance) {
        self.init(rule: rule, circumstance: circumstance)
    }
}

extension TrustRule {
    fileprivate var shortName: String { self.id.hasPrefix("certificate-rule/") ? "certificate-rule" : self.id }
}

/// A reason of a JSON report, as far as a program follows it.
struct ToldReason: Decodable {
    let code: String
    let certificateIndex: Int
    let found: String
    let required: String
    let remedy: String
    let remedyActions: [String]

    /// The actions that a program can follow. “If it is an intermediate” and “if it is a root” exclude each other.
    var ways: [TrustRemedy.Action] {
        let isOfRoot = self.required.contains("CN=Fault Root")
        let excluded = self.code == "unknown-issuer" ? isOfRoot ? TrustRemedy.Action.sendIntermediate : .trustRoot : nil
        return self.remedyActions.compactMap(TrustRemedy.Action.init).filter { action in
            !FaultScene.notFollowed.contains(action) && action != excluded
        }
    }

    /// The row of the table that the remedy is of: the one whose advice begins most alike.
    var place: RemedyPlace? {
        let rows = TrustRule.all.filter { $0.shortName == self.code || $0.id == self.code }
            .flatMap { rule in rule.remedies.map { (rule.shortName, $0) } }
        func likeness(_ advice: String) -> Int { advice.commonPrefix(with: self.remedy).count }
        return rows.max { likeness($0.1.advice) < likeness($1.1.advice) }
            .map { RemedyPlace(rule: $0.0, circumstance: $0.1.circumstance) }
    }
}

struct ToldReport: Decodable {
    struct Note: Decodable {
        let code: String
        let message: String
        let advice: String
    }

    struct Evaluation: Decodable {
        let reasons: [ToldReason]
        let notes: [Note]
    }
    let evaluation: Evaluation
}

extension FaultScene {
    func told() async throws -> ToldReport.Evaluation {
        let finished = try await self.judged(["--format", "json"])
        do {
            return try JSONDecoder().decode(ToldReport.self, from: Data(finished.output.utf8)).evaluation
        } catch {
            Issue.record("\(error) \(finished.output) \(finished.errors)")
            throw error
        }
    }
}
