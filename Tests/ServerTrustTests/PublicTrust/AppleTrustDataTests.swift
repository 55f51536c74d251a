//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A made-up program, so that nothing is hard-wired.
private struct Program {
    let folder: TemporaryFolder
    let open = CraftedAuthority("Open root", .p256(71))
    let mail = CraftedAuthority("Mail root", .p256(72))
    let other = CraftedAuthority("Other root", .p256(73))
    let issued: CertificateView
    let openRoot: CertificateView
    let mailRoot: CertificateView

    init() throws {
        self.folder = try TemporaryFolder()
        let folders = ["certificates", "certificates/roots", "certificate_transparency"]
        for name in folders {
            try FileManager.default.createDirectory(
                atPath: self.folder.path + "/" + name, withIntermediateDirectories: true)
        }
        self.issued = try self.open.authority(CraftedAuthority("Not self-signed", .p256(74)))
        // A signature is another one each time, and so is the fingerprint.
        self.openRoot = try self.open.authority()
        self.mailRoot = try self.mail.authority()
        for view in [self.openRoot, self.mailRoot, self.issued] {
            try self.write("certificates/roots/\(Self.name(view)).cer", view.bytes)
        }
        let mail = Self.name(self.mailRoot)
        try self.write(
            "certificates/constraints.json", #"{"system": {"\#(mail)": ["1.2.840.113635.100.1.8"]}, "custom": {}}"#)
        try self.write("certificates/EVRoots.json", #"{"EV_config": {}, "fingerprint_map": {}}"#)
        try self.write(
            "certificate_transparency/log_list.json", #"{"$schema": "\#(LogList.schema)", "operators": []}"#)
        try self.write("DATE", "2026-05-01T00:00:00Z\n")
    }

    static func name(_ view: CertificateView) -> String {
        Certificate(view).sha256Fingerprint.map { String(format: "%02X", $0) }.joined()
    }

    func write(_ name: String, _ text: String) throws { try self.write(name, Array(text.utf8)) }

    func write(_ name: String, _ contents: [UInt8]) throws {
        try Data(contents).write(to: URL(fileURLWithPath: self.folder.path + "/" + name))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self.folder.path + "/" + name) }

    func data() throws -> AppleTrustData { try AppleTrustData(folder: self.folder.path) }
}

@Suite("Apple's public trust data")
struct AppleTrustDataTests {
    @Test("Roots that are constrained to other uses, and certificates that are not self-signed, are no anchors")
    func anchors() throws {
        let program = try Program()
        let data = try program.data()
        #expect(data.certificates.count == 3)
        #expect(data.serverRoots.map(\.subjectSummary) == ["Open root"])
        #expect(try TrustStore.apple(data).certificates == data.serverRoots)
    }

    /// A list with one timestamp of a log that no list has: nothing can be verified of it.
    private static func listOfUnknownLog(_ number: UInt8) -> [UInt8] {
        let timestamp: [UInt8] =
            [0] + [UInt8](repeating: number, count: 32) + [0, 0, 1, 0x9E, 0, 0, 0, 0] + [0, 0, 4, 3, 0, 1, 0]
        return [0, UInt8(timestamp.count + 2), 0, UInt8(timestamp.count)] + timestamp
    }

    @Test("Below a root outside the program nothing is trusted, and below one inside timestamps are required")
    func verdicts() throws {
        let program = try Program()
        let data = try program.data()
        func result(
            _ issuer: CraftedAuthority, _ root: CertificateView, at date: String, timestamps: UInt8 = 0
        ) throws -> TrustResult {
            let leaf = Certificate(try issuer.leaf())
            var trust = try Trust(
                certificates: [leaf, Certificate(root)], policy: .tlsServer(hostname: "www.example.com"),
                configuration: TrustConfiguration(anchors: .store(.apple(data))))
            let now = try Date(date, strategy: .iso8601)
            trust.verifyDate = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
            trust.transparency = data.transparency(at: now)
            trust.transparency?.timestampLists = (0..<timestamps).map(Self.listOfUnknownLog)
            return trust.evaluate()
        }
        #expect(
            try result(program.other, program.other.authority(), at: "2026-06-01T00:00:00Z").failure?.primary.code
                == "untrusted-root")
        #expect(
            try result(program.mail, program.mailRoot, at: "2026-06-01T00:00:00Z").failure?.primary.code
                == "untrusted-root")
        let fresh = try result(program.open, program.openRoot, at: "2026-06-01T00:00:00Z")
        #expect(fresh.failure?.primary.code == "certificate-transparency")
        #expect(fresh.failure?.osStatus.rawValue == -67825)
        #expect(fresh.certificateTransparency == .missing)
        // No newer list makes timestamps of a certificate that has none.
        let stale = try result(program.open, program.openRoot, at: "2026-07-01T00:00:00Z")
        #expect(stale.failure?.primary.code == "certificate-transparency")
        let unknown = try result(program.open, program.openRoot, at: "2026-07-01T00:00:00Z", timestamps: 2)
        #expect(unknown.isTrusted && unknown.certificateTransparency == .undetermined)
        let single = try result(program.open, program.openRoot, at: "2026-07-01T00:00:00Z", timestamps: 1)
        #expect(single.failure?.primary.code == "certificate-transparency")
    }

    @Test("A root of the program needs timestamps where the application trusts it too, and other roots do not")
    func applicationRoots() throws {
        let program = try Program()
        let data = try program.data()
        func code(_ issuer: CraftedAuthority, _ root: CertificateView) throws -> String? {
            var trust = try Trust(
                certificates: [Certificate(try issuer.leaf()), Certificate(root)],
                policy: .tlsServer(hostname: "www.example.com"), configuration: .only([Certificate(root)]))
            let now = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
            trust.verifyDate = now
            trust.transparency = data.transparency(at: now)
            return trust.evaluate().failure?.primary.code
        }
        #expect(try code(program.open, program.openRoot) == "certificate-transparency")
        #expect(try code(program.other, program.other.authority()) == nil)
    }

    @Test("A fingerprint that a table has twice is an error, in whatever case")
    func duplicates() throws {
        let program = try Program()
        let name = Program.name(program.mailRoot)
        let rows = #""\#(name)": ["1"], "\#(name.lowercased())": ["2"]"#
        try program.write("certificates/constraints.json", #"{"system": {\#(rows)}}"#)
        #expect(throws: AppleTrustDataError.self) { try program.data() }
    }

    @Test("A root under a name that is not its fingerprint is an error")
    func renamed() throws {
        let program = try Program()
        let name = "certificates/roots/\(Program.name(program.mailRoot)).cer"
        try program.write(name, program.openRoot.bytes)
        let error = #expect(throws: AppleTrustDataError.self) { try program.data() }
        #expect(error?.file == name)
    }

    @Test("Data without a date say how to write one", arguments: [nil, "", "soon"])
    func dates(contents: String?) throws {
        let program = try Program()
        if let contents { try program.write("DATE", contents) } else { try program.remove("DATE") }
        let error = #expect(throws: AppleTrustDataError.self) { try program.data() }
        #expect(error?.remedy.contains("date -u +%FT%TZ > \(program.folder.path)/DATE") == true)
    }

    @Test(
        "A folder that lacks a part, or has a malformed one, is an error with the file's name",
        arguments: [
            ("certificates/constraints.json", nil), ("certificates/constraints.json", "{}"),
            ("certificates/constraints.json", #"{"system": {"12": []}}"#), ("certificates/EVRoots.json", nil),
            ("certificates/EVRoots.json", "[]"), ("certificate_transparency/log_list.json", "{}"),
            ("DATE", nil), ("DATE", "yesterday"), ("DATE", "2026-02-31T00:00:00Z"),
            ("certificates/roots/A.cer", "no certificate"),
        ] as [(String, String?)])
    func malformed(file: String, contents: String?) throws {
        let program = try Program()
        if let contents { try program.write(file, contents) } else { try program.remove(file) }
        let error = #expect(throws: AppleTrustDataError.self) { try program.data() }
        #expect(error?.file == file)
    }

    @Test(
        "Data may refuse by what they lack for less than sixty days",
        arguments: [(59, true), (60, false), (-59, true), (-60, false)])
    func age(days: Int, isCurrent: Bool) throws {
        let data = try Program().data()
        #expect(data.isCurrent(at: data.date.addingTimeInterval(Double(days) * 86_400)) == isCurrent)
    }

    @Test("The built-in roots are whole: each row is read, and signatures confirm which are anchors")
    func builtIn() throws {
        let data = AppleTrustData.builtIn
        #expect(data.certificates.count == AppleTrustData.registryRoots.count && data.certificates.count > 100)
        let known = data.certificates + data.certificatesBesidesRelease
        #expect(data.serverRoots == known.filter { data.program.admits($0, for: .tlsServer) })
        #expect(data.logList.logs.count == AppleTrustData.registryLogs.count && data.logList.logs.count > 20)
        #expect(data.origin == .builtIn(release: AppleTrustData.registryRelease))
        #expect(try data.date > Date("2025-10-01T00:00:00Z", strategy: .iso8601))
        #expect(data.program.roots.isSuperset(of: data.extendedValidationPolicies.keys))
        #expect(data.certificates.map(\.subjectSummary).contains("Apple Root CA"))
    }

    @Test("A report alone brings no certificates: those that are known count as it says")
    func reportWithoutCertificates() throws {
        let program = try Program()
        try FileManager.default.createDirectory(
            atPath: program.folder.path + "/root_status", withIntermediateDirectories: true)
        let known = AppleTrustData.builtIn.certificatesBesidesRelease
        let included = try #require(known.first { $0.subjectSummary == "SECOM TLS ECC Root CA 2024" })
        let blocked = try #require(known.first { $0.subjectSummary == "TrustCor ECA-1" })
        let rows = [(included, "Included"), (blocked, "Blocked"), (Certificate(program.openRoot), "Removed")].map {
            "\(Program.name($0.0.view)),\($0.1)\n"
        }
        try program.write("root_status/ccadb.csv", "SHA-256 Fingerprint,Apple Status\n" + rows.joined())
        let data = try program.data()
        #expect(data.serverRoots == [included])
        #expect(data.blockedRoots.certificates == [blocked.view])
        // A release that is newer than the report says by itself which roots there are.
        try program.write("root_status/DATE", "2026-04-30T00:00:00Z")
        #expect(try program.data().serverRoots == [])
    }

    @Test("The built-in data are those of a checkout of Apple's, where its path is given")
    func checkout() throws {
        guard let folder = ProcessInfo.processInfo.environment["APPLE_TRUST_DATA"] else { return }
        let (data, builtIn) = (try AppleTrustData(folder: folder, date: Date()), AppleTrustData.builtIn)
        #expect(data.certificates == builtIn.certificates && data.serverRoots == builtIn.serverRoots)
        #expect(data.program == builtIn.program)
        #expect(data.extendedValidationPolicies == builtIn.extendedValidationPolicies)
        let facts = { (list: LogList) in
            list.logs.map { "\($0.identifier) \($0.subjectPublicKeyInfo) \($0.state) \($0.operatorName) \($0.name)" }
        }
        #expect(facts(data.logList) == facts(builtIn.logList))
    }

    @Test("The data at hand are those that the environment names, else the newer of the updated and the built-in ones")
    func atHand() throws {
        let program = try Program()
        let home = try TemporaryFolder()
        let updated = home.path + "/servertrust/apple-data"
        #expect(AppleTrustData.updatedFolder(environment: ["XDG_DATA_HOME": home.path]) == updated)
        #expect(AppleTrustData.updatedFolder(environment: ["HOME": "/h"]) == "/h/.local/share/servertrust/apple-data")
        #expect(AppleTrustData.updatedFolder(environment: ["XDG_DATA_HOME": "relative"]) == nil)
        func origin(_ environment: [String: String]) throws -> AppleTrustData.Origin {
            try AppleTrustData.atHand(environment: environment).origin
        }
        let builtIn = AppleTrustData.builtIn.origin
        #expect(try origin([:]) == builtIn && origin(["XDG_DATA_HOME": home.path]) == builtIn)
        #expect(try origin(["SERVERTRUST_APPLE_DATA": program.folder.path]) == .folder(program.folder.path))
        #expect(throws: AppleTrustDataError.self) { try origin(["SERVERTRUST_APPLE_DATA": "/nonexistent"]) }
        try FileManager.default.createDirectory(
            atPath: home.path + "/servertrust", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: program.folder.path, toPath: updated)
        #expect(try origin(["XDG_DATA_HOME": home.path]) == .folder(updated))
        try Data("2020-01-01T00:00:00Z".utf8).write(to: URL(fileURLWithPath: updated + "/DATE"))
        #expect(try origin(["XDG_DATA_HOME": home.path]) == builtIn)
        try FileManager.default.removeItem(atPath: updated + "/certificates/EVRoots.json")
        #expect(throws: AppleTrustDataError.self) { try origin(["XDG_DATA_HOME": home.path]) }
    }
}
