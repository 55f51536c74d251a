//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@Suite("Apple's public trust on the command line", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PublicTrustTests {
    /// A made-up program of one root without logs, and a chain below it.
    static func program(
        _ folder: String, fetched date: Date, root certificate: CertificateView? = nil
    ) throws -> (chain: String, data: String) {
        let root = CraftedAuthority("Public root", .p256(71))
        let certificate = try certificate ?? root.authority()
        let data = folder + "/data"
        let roots = data + "/certificates/roots"
        try FileManager.default.createDirectory(atPath: roots, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: data + "/certificate_transparency", withIntermediateDirectories: true)
        let name = Certificate(certificate).sha256Fingerprint.map { String(format: "%02X", $0) }.joined()
        try Data(certificate.bytes).write(to: URL(fileURLWithPath: roots + "/\(name).cer"))
        let texts = [
            "certificates/constraints.json": #"{"system": {}}"#, "certificates/EVRoots.json": #"{"EV_config": {}}"#,
            "certificate_transparency/log_list.json": #"{"$schema": "\#(LogList.schema)", "operators": []}"#,
            "DATE": date.formatted(.iso8601),
        ]
        for (file, text) in texts {
            try text.write(toFile: data + "/" + file, atomically: true, encoding: .utf8)
        }
        let chain = [try root.leaf(), certificate].map { Certificate($0).pemRepresentation }.joined()
        try chain.write(toFile: folder + "/chain.pem", atomically: true, encoding: .utf8)
        return (folder + "/chain.pem", data)
    }

    private static func evaluate(_ date: Date, _ more: [String] = []) async throws -> Finished {
        try await withTemporaryFolder { folder in
            let (chain, data) = try Self.program(folder.path("."), fetched: date)
            return try await CommandLineTool.servertrust(
                ["evaluate", "--chain", chain, "--host", "www.example.com", "--at", "2026-06-01T00:00:00Z"]
                    + ["--apple-data", data] + more)
        }
    }

    @Test("A certificate below a public root without timestamps is refused, and the date of the data is told")
    func missing() async throws {
        let finished = try await Self.evaluate(Date())
        #expect(finished.status == 1, "\(finished.errors)")
        #expect(finished.output.contains("[certificate-transparency, errSecVerifyActionFailed (-67825)]"))
        #expect(finished.output.contains("Public roots and logs are those of Apple's data of 20"))
        #expect(!finished.output.contains("transparency was not checked"))
        let json = try await Self.evaluate(Date(), ["--format", "json"])
        #expect(json.output.contains(#""certificateTransparency" : "missing""#) || json.output.contains("\"missing\""))
    }

    /// A list with timestamps of logs that no list has: nothing can be verified of them.
    static let unknownLogs: [UInt8] = {
        let timestamps = ([1, 2] as [UInt8]).flatMap { number -> [UInt8] in
            let timestamp: [UInt8] =
                [0] + [UInt8](repeating: number, count: 32) + [0, 0, 1, 0x9E, 0, 0, 0, 0] + [0, 0, 4, 3, 0, 1, 0]
            return [0, UInt8(timestamp.count)] + timestamp
        }
        return [0, UInt8(timestamps.count)] + timestamps
    }()

    @Test("Old data refuse a certificate without timestamps, and accept one of unknown logs with a note")
    func old() async throws {
        let date = Date(timeIntervalSinceNow: -61 * 86_400)
        let finished = try await Self.evaluate(date)
        #expect(finished.status == 1 && finished.output.contains("certificate-transparency"), "\(finished.output)")
        #expect(finished.output.contains("The data are 61 days old: newer logs are not known"))
        try await withTemporaryFolder { folder in
            let file = folder.path("list.sct")
            try Data(Self.unknownLogs).write(to: URL(fileURLWithPath: file))
            let open = try await Self.evaluate(date, ["--sct", file])
            #expect(
                open.status == 0 && open.output.contains("newer data of Apple's may know its logs"), "\(open.output)")
            let required = try await Self.evaluate(date, ["--sct", file, "--require-apple-data"])
            #expect(required.status == 2 && required.output.hasPrefix("NOT EVALUATED"), "\(required.output)")
            let json = try await Self.evaluate(date, ["--sct", file, "--format", "json"])
            #expect(json.output.contains("\"certificateTransparency\" : \"undetermined\""), "\(json.output)")
            #expect(json.output.contains("\"status\" : \"unknown-log\"") && json.output.contains("\"dataDate\""))
            // Fresh data refuse what they do not know.
            #expect(try await Self.evaluate(Date(), ["--sct", file]).status == 1)
        }
    }

    /// A list of the logs 901 and 902 as Google writes it, of these operators.
    private static func googleList(_ operators: [String], date: Date) throws -> String {
        let entries = try zip(operators, [901, 902] as [UInt16]).map { name, number in
            let key = Data(TestKey.p256(number).info).base64EncodedString()
            let identifier = Data(
                try TransparencyLog(subjectPublicKeyInfo: TestKey.p256(number).info).identifier
            ).base64EncodedString()
            let state = #"{"usable": {"timestamp": "2024-01-01T00:00:00Z"}}"#
            let log = #"{"description": "Log", "key": "\#(key)", "log_id": "\#(identifier)", "state": \#(state)}"#
            return #"{"name": "\#(name)", "logs": [\#(log)]}"#
        }
        return
            #"{"version": "1", "log_list_timestamp": "\#(date.formatted(.iso8601))", "operators": [\#(entries.joined(separator: ", "))]}"#
    }

    @Test(
        "Chrome's policy and another list of logs may be chosen, and the answer names them",
        arguments: [
            (["A", "B"], "chrome", 0, 0), (["A", "A"], "chrome", 0, 1), (["A", "A"], "apple", 0, 0),
            (["A", "A"], "chrome", -71, 1), (["A"], "apple", 0, 1),
        ] as [([String], String, Int, Int32)])
    func chrome(operators: [String], policy: String, days: Int, status: Int32) async throws {
        try await withTemporaryFolder { folder in
            let (chain, _) = try Self.program(folder.path("."), fetched: Date())
            let root = CraftedAuthority("Public root", .p256(71))
            var leaf = root.leafTemplate()
            let entry = TestTimestamp.entry(leaf, issuer: root.key)
            leaf.set(.timestamps(try TestTimestamp.list([TestTimestamp(901), TestTimestamp(902)], entry)))
            let certificates = [Certificate(try leaf.view()), Certificate(try root.authority())]
            try certificates.map(\.pemRepresentation).joined().write(toFile: chain, atomically: true, encoding: .utf8)
            let list = folder.path("google.json")
            try Self.googleList(operators, date: Date(timeIntervalSinceNow: Double(days) * 86_400))
                .write(toFile: list, atomically: true, encoding: .utf8)
            let options = [
                "evaluate", "--chain", chain, "--host", "www.example.com", "--at", "2026-06-01T00:00:00Z",
                "--apple-data", folder.path("data"), "--log-list", list, "--ct-policy", policy,
            ]
            let finished = try await CommandLineTool.servertrust(options)
            #expect(finished.status == status, "\(finished.output)\(finished.errors)")
            #expect(finished.output.contains("Logs are those of the given list of 20"))
            #expect(finished.output.contains("counted by Chrome's policy") == (policy == "chrome"))
            #expect(finished.output.contains("of 2 operators must have signed") == (policy == "chrome" && status == 1))
            // Chrome's rule is not Apple's, and where operators are too few more timestamps do not help.
            if policy == "chrome", status == 1 {
                #expect(finished.output.contains("Chrome Certificate Transparency Policy:"), "\(finished.output)")
                #expect(finished.output.contains("net::ERR_CERTIFICATE_TRANSPARENCY_REQUIRED (-214)"))
                #expect(finished.output.contains("from a log of another operator"), "\(finished.output)")
                #expect(finished.output.contains("of 2 operators\n") && finished.output.contains("of 1 operator"))
                #expect(!finished.output.contains("errSecVerifyActionFailed"), "\(finished.output)")
            }
            let json = try await CommandLineTool.servertrust(options + ["--format", "json"])
            #expect(json.output.contains("\"transparencyPolicy\" : \"\(policy)\""), "\(json.output)")
            #expect(json.output.contains("\"logList\" : {"))
        }
    }

    @Test("A list of logs from the future is called that, and not old", arguments: [2.0, 30, 100])
    func futureList(days: Double) async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file(
                "list.json", try Self.googleList(["A", "B"], date: Date(timeIntervalSinceNow: days * 86_400)))
            let finished = try await Self.evaluate(Date(), ["--log-list", file])
            #expect(finished.output.contains("The date of the list is in the future"), "\(finished.output)")
            #expect(!finished.output.contains("too old"), "\(finished.output)")
        }
    }

    @Test("A link to data that leads nowhere, and a file in their place, are errors and not passed over")
    func danglingData() async throws {
        try await withTemporaryFolder { folder in
            let data = folder.url.appending(path: "servertrust")
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let place = data.appending(path: "apple-data").path
            let environment = ["XDG_DATA_HOME": folder.path("."), "SERVERTRUST_APPLE_DATA": ""]
            let built = try await CommandLineTool.servertrust(["apple-data", "show"], environment: environment)
            #expect(built.status == 0, "\(built.errors)")
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "gone")
            for isLink in [true, false] {
                if !isLink {
                    try FileManager.default.removeItem(atPath: place)
                    try Data().write(to: URL(fileURLWithPath: place))
                }
                for arguments in [["apple-data", "show"], ["evaluate", "--chain", "/dev/null", "--host", "a.test"]] {
                    let finished = try await CommandLineTool.servertrust(arguments, environment: environment)
                    #expect(finished.status == 2, "\(finished.output)")
                    #expect(isLink == false || arguments[0] == "evaluate" || finished.errors.contains("apple-data"))
                }
            }
        }
    }

    @Test("Data and timestamps that cannot be read are errors")
    func unusable() async throws {
        let none = try await CommandLineTool.servertrust(
            ["evaluate", "--chain", "/dev/null", "--host", "a.test", "--sct", "/nonexistent"])
        #expect(none.status == 2)
        try await withTemporaryFolder { folder in
            let file = folder.path("list.json")
            try "{}".write(toFile: file, atomically: true, encoding: .utf8)
            let list = try await Self.evaluate(Date(), ["--log-list", file])
            #expect(list.status == 2 && list.errors.contains("The list of logs cannot be used"), "\(list.errors)")
        }
        let unreadable = try await Self.evaluate(Date(), ["--apple-data", "/nonexistent"])
        #expect(unreadable.status == 2 && unreadable.errors.contains("certificates/roots"))
    }

    @Test("Without options Apple's program is trusted, and a root of this machine alone is named as such")
    func defaults() async throws {
        try await withTemporaryFolder { folder in
            let (chain, _) = try Self.program(folder.path("."), fetched: Date())
            func evaluate(_ more: [String], _ environment: [String: String]) async throws -> Finished {
                try await CommandLineTool.servertrust(
                    ["evaluate", "--chain", chain, "--host", "www.example.com", "--at", "2026-06-01T00:00:00Z"] + more,
                    environment: environment)
            }
            let machine = ["SSL_CERT_FILE": chain]
            let apple = try await evaluate([], machine)
            #expect(
                apple.status == 1 && apple.output.contains("is not in Apple's program. This machine's store has it"))
            #expect(apple.output.contains("Public roots and logs are those of Apple's data of"))
            let own = try await evaluate(["--roots", "system"], machine)
            #expect(
                own.status == 0 && own.output.contains("Public roots are those of this machine's store"),
                "\(own.output)")
            let other = try await evaluate([], ["SSL_CERT_FILE": "/nonexistent"])
            #expect(other.status == 1 && !other.output.contains("this machine's store has it"))
        }
    }

    @Test("The data that a variable names, or an update wrote, are used without an option")
    func atHand() async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try Self.program(folder.path("."), fetched: Date())
            let home = folder.path("home")
            func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Finished {
                try await CommandLineTool.servertrust(
                    ["apple-data"] + arguments,
                    environment: environment.merging(["XDG_DATA_HOME": home]) { first, _ in first })
            }
            #expect(try await run(["show"]).output.contains("built in, from security_certificates-"))
            let named = try await run(["show"], ["SERVERTRUST_APPLE_DATA": data])
            #expect(named.output.contains("1, 1 of them for TLS servers"), "\(named.output)")
            #expect(try await run(["check"], ["SERVERTRUST_APPLE_DATA": "/nonexistent"]).status == 2)
            // One root is fewer than half of those that are built in.
            let doubtful = try await run(["update", "--from", data])
            #expect(doubtful.status == 1 && doubtful.errors.contains("were not taken"))
            #expect(!FileManager.default.fileExists(atPath: home + "/servertrust/apple-data"))
            let updated = try await run(["update", "--from", data, "--dangerously-accept-doubtful-data"])
            #expect(updated.status == 0, "\(updated.errors)")
            #expect(try await run(["update", "--from", data]).status == 0)
            #expect(try await run(["show"]).output.contains("1, 1 of them for TLS servers"))
            #expect(try await run(["check"]).status == 0)
            // The link, the folder that it names, and the one that it named before.
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/servertrust").count == 3)
            #expect(try await run(["update", "--from", data]).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/servertrust").count == 3)
            try Data("x".utf8).write(to: URL(fileURLWithPath: data + "/certificates/EVRoots.json"))
            #expect(try await run(["update", "--from", data]).status == 2)
            #expect(try await run(["check"]).status == 0)
            let future = try await run(["update", "--from", data, "--date", "2099-01-01"])
            #expect(future.status == 2, "\(future.output)")
            let older = try await run(["update", "--from", home + "/servertrust/apple-data", "--date", "2020-01-01"])
            #expect(older.status == 1 && older.errors.contains("and those that they would replace of"))
        }
    }

    @Test("An update leaves a folder alone that it did not make")
    func foreignFolder() async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try Self.program(folder.path("."), fetched: Date())
            let target = folder.path("mine")
            try FileManager.default.copyItem(atPath: data, toPath: target)
            let finished = try await CommandLineTool.servertrust(
                ["apple-data", "update", "--from", data, "--to", target, "--dangerously-accept-doubtful-data"])
            #expect(finished.status == 2 && finished.errors.contains("did not make"), "\(finished.errors)")
            #expect(FileManager.default.fileExists(atPath: target + "/DATE"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path(".")).sorted() == [
                    "chain.pem", "data", "mine",
                ])
        }
    }

    @Test("An update removes nothing that a link of another maker names", arguments: ["mine-2024", "mine", "mine-a"])
    func foreignLink(name: String) async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try Self.program(folder.path("."), fetched: Date())
            let (link, target) = (folder.path("mine"), folder.path(name == "mine" ? "other" : name))
            try FileManager.default.copyItem(atPath: data, toPath: target)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let finished = try await CommandLineTool.servertrust(
                ["apple-data", "update", "--from", data, "--to", link, "--dangerously-accept-doubtful-data"])
            #expect(finished.status == 2 && finished.errors.contains("did not make"), "\(finished.errors)")
            #expect(FileManager.default.fileExists(atPath: target + "/DATE"))
        }
    }

    @Test("Data that were broken are mended by an update")
    func repair() async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try Self.program(folder.path("."), fetched: Date())
            let target = folder.path("mine")
            let update = ["apple-data", "update", "--from", data, "--to", target, "--dangerously-accept-doubtful-data"]
            #expect(try await CommandLineTool.servertrust(update).status == 0)
            try FileManager.default.removeItem(atPath: target + "/certificates/constraints.json")
            #expect(try await CommandLineTool.servertrust(update).status == 0)
            #expect(FileManager.default.fileExists(atPath: target + "/certificates/constraints.json"))
        }
    }

    @Test("Roots are compared with any store")
    func comparison() async throws {
        try await withTemporaryFolder { folder in
            let (chain, data) = try Self.program(folder.path("."), fetched: Date())
            let same = try await CommandLineTool.servertrust(
                ["apple-data", "compare", "--apple-data", data, "--with", chain, "--format", "json"])
            #expect(same.status == 0 && same.output.contains("\"common\" : 1"), "\(same.output)")
            // Of the chain, the server's certificate is not a root of Apple's.
            #expect(same.output.contains("www.example.com"))
            let text = try await CommandLineTool.servertrust(["apple-data", "compare", "--with", chain])
            #expect(text.output.contains("Roots that only the store trusts: 2"), "\(text.output)")
        }
    }

    @Test("Every format of a scan and of a diagnosis names the date of the data")
    func dates() async throws {
        try await withTemporaryFolder { folder in
            let (_, data) = try Self.program(folder.path("."), fetched: Date(timeIntervalSince1970: 1_780_272_000))
            let list = try folder.file("list", "127.0.0.1:1\n")
            for format in ["ndjson", "csv", "html", "text"] {
                let finished = try await CommandLineTool.servertrust(
                    ["scan", list, "--format", format, "--apple-data", data])
                let output = format == "text" ? finished.errors : finished.output
                #expect(output.contains("2026-06-01"), "\(format): \(finished.output)\(finished.errors)")
            }
            for format in ["text", "json", "html", "csv", "junit"] {
                let finished = try await CommandLineTool.servertrust(
                    ["diagnose", "127.0.0.1:1", "--format", format, "--apple-data", data])
                #expect(finished.output.contains("2026-06-01"), "\(format): \(finished.output)\(finished.errors)")
            }
        }
    }
}
