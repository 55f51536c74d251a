//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

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
        (self.openRoot, self.mailRoot) = (try self.open.authority(), try self.mail.authority())
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

    @Test("Below a root outside the program nothing is trusted, and below one inside timestamps are required")
    func verdicts() throws {
        let program = try Program()
        let data = try program.data()
        func result(_ issuer: CraftedAuthority, _ root: CertificateView, at date: String) throws -> TrustResult {
            let leaf = Certificate(try issuer.leaf())
            var trust = try Trust(
                certificates: [leaf, Certificate(root)], policy: .tlsServer(hostname: "www.example.com"),
                anchors: .store(.apple(data)))
            let now = try Date(date, strategy: .iso8601)
            trust.verifyDate = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
            trust.transparency = data.transparency(at: now)
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
        let stale = try result(program.open, program.openRoot, at: "2026-07-01T00:00:00Z")
        #expect(stale.isTrusted && stale.certificateTransparency == .notRequired)
    }

    @Test("A root of the program needs timestamps where the application trusts it too, and other roots do not")
    func applicationRoots() throws {
        let program = try Program()
        let data = try program.data()
        func code(_ issuer: CraftedAuthority, _ root: CertificateView) throws -> String? {
            var trust = try Trust(
                certificates: [Certificate(try issuer.leaf()), Certificate(root)],
                policy: .tlsServer(hostname: "www.example.com"), anchors: .only([Certificate(root)]))
            let now = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
            trust.verifyDate = now
            trust.transparency = data.transparency(at: now)
            return trust.evaluate().failure?.primary.code
        }
        #expect(try code(program.open, program.openRoot) == "certificate-transparency")
        #expect(try code(program.other, program.other.authority()) == nil)
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
            ("DATE", nil), ("DATE", "yesterday"), ("certificates/roots/A.cer", "no certificate"),
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
}
