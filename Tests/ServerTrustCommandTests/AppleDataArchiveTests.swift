//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Apple's data from archives and addresses", .limitedConcurrency, .timeLimit(.minutes(10)))
struct AppleDataArchiveTests {
    /// Makes an archive by the system's tar, of a folder in which the data are `data`.
    private static func archive(_ folder: String, _ name: String, _ options: [String]) async throws -> String {
        let path = folder + "/" + name
        let tar = try #require(CommandLineTool.installed("tar"))
        let finished = try await CommandLineTool.run(tar, ["-cf", path] + options)
        try #require(finished.status == 0, "\(finished.errors)")
        return path
    }

    private static func update(_ source: String, _ folder: String, _ more: [String] = []) async throws -> Finished {
        try await CommandLineTool.servertrust(
            [
                "apple-data", "update", "--from", source, "--to", folder + "/target",
                "--dangerously-accept-doubtful-data",
            ]
                + more)
    }

    @Test(
        "An archive by tar is taken, compressed or not, of the folder or of what is in it",
        arguments: [
            ["data"], ["-z", "data"], ["-C", "data", "."], ["-z", "--format=pax", "data"], ["--format=ustar", "data"],
            ["--format=gnu", "--transform=s,^data,\(String(repeating: "a", count: 120)),", "data"],
            ["--format=pax", "--transform=s,^data,\(String(repeating: "ä", count: 80)),", "data"],
        ])
    func archives(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            _ = try PublicTrustTests.program(home, fetched: Date())
            let archive = try await Self.archive(home, "archive", ["-C", home] + options)
            let finished = try await Self.update(archive, home)
            #expect(finished.status == 0 && finished.output.contains("has 1 roots"), "\(finished.errors)")
            let shown = try await CommandLineTool.servertrust(["apple-data", "show", "--apple-data", home + "/target"])
            #expect(shown.output.contains("1, 1 of them for TLS servers"))
            // Nothing is left of what was unpacked.
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: home).filter { $0.hasPrefix("servertrust-") } == [])
        }
    }

    @Test("A file name of 300 characters, and a folder to unpack to that is missing, are told in words")
    func names() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            _ = try PublicTrustTests.program(home, fetched: Date())
            let name = String(repeating: "A", count: 300)
            let long = try await Self.archive(
                home, "long", ["--transform=s,roots/.*cer$,roots/\(name).cer,", "-C", home, "data"])
            let finished = try await Self.update(long, home)
            #expect(finished.status == 2 && finished.errors.contains("a file name of more than 255 octets"))
            let archive = try await Self.archive(home, "archive", ["-C", home, "data"])
            let unpacked = try await CommandLineTool.servertrust(
                ["apple-data", "update", "--from", archive, "--to", home + "/target"],
                environment: ["TMPDIR": home + "/missing"])
            #expect(unpacked.status == 2 && unpacked.errors.contains("set TMPDIR"), "\(unpacked.errors)")
            for errors in [finished.errors, unpacked.errors] {
                #expect(!errors.contains("NSCocoa") && !errors.contains("Error Domain"), "\(errors)")
            }
        }
    }

    @Test("An archive that is cut off, changed, or of something else is an error, and nothing is written")
    func faults() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            _ = try PublicTrustTests.program(home, fetched: Date())
            let archive = try await Self.archive(home, "archive", ["-C", home, "data"])
            let compressed = try await Self.archive(home, "archive.gz", ["-z", "-C", home, "data"])
            let whole = Array(try Data(contentsOf: URL(fileURLWithPath: archive)))
            let small = Array(try Data(contentsOf: URL(fileURLWithPath: compressed)))
            var other = small
            other[small.count / 2] ^= 0x10
            var header = whole
            header[0] ^= 1
            // Without the zeros at the end.
            var entries = whole
            while entries.suffix(512).allSatisfy({ $0 == 0 }) { entries.removeLast(512) }
            let faults: [(String, [UInt8], String)] = [
                ("cut off", Array(whole.prefix(1_500)), "cut off"), ("empty", [], "cut off"),
                ("a header changed", header, "not a tar archive"),
                ("gzip cut off", Array(small.dropLast(9)), "it is cut off"),
                ("gzip changed", other, "Fetch it again"),
                ("zeros", [UInt8](repeating: 0, count: 1_024), "has no folder certificates/roots"),
                ("text", Array(repeating: UInt8(ascii: "x"), count: 2_000), "not a tar archive"),
                ("twice", entries + whole, "it has certificate"),
            ]
            for (name, contents, reason) in faults {
                let file = folder.path("fault")
                try Data(contents).write(to: URL(fileURLWithPath: file))
                let finished = try await Self.update(file, home)
                #expect(finished.status == 2, "\(name)")
                #expect(finished.errors.contains(reason), "\(name): \(finished.errors)")
                #expect(!FileManager.default.fileExists(atPath: home + "/target"), "\(name)")
            }
        }
    }

    @Test("A link in the place of a file is an error, and a path out of the archive is passed over")
    func hostile() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            let (_, data) = try PublicTrustTests.program(home, fetched: Date())
            try FileManager.default.moveItem(atPath: data + "/DATE", toPath: home + "/secret")
            let manager = FileManager.default
            for isHard in [true, false] {
                try? manager.removeItem(atPath: data + "/DATE")
                try? manager.removeItem(atPath: data + "/AAAA")
                try manager.copyItem(atPath: home + "/secret", toPath: data + "/AAAA")
                // tar writes the second of two names of one file as a link to the first.
                if isHard {
                    try manager.linkItem(atPath: data + "/AAAA", toPath: data + "/DATE")
                } else {
                    try manager.createSymbolicLink(atPath: data + "/DATE", withDestinationPath: "AAAA")
                }
                let linked = try await Self.archive(home, "linked", ["--sort=name", "-C", home, "data"])
                let finished = try await Self.update(linked, home)
                #expect(finished.status == 2 && finished.errors.contains("DATE is a link"), "\(finished.errors)")
            }
            let outside = try await Self.archive(
                home, "outside", ["-P", "--transform=s,^data,data/certificates/../..,", "-C", home, "data"])
            #expect(try await Self.update(outside, home).status == 2)
        }
    }

    @Test("Of updates at once one is in use, whole, and later ones work")
    func simultaneous() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            _ = try PublicTrustTests.program(home, fetched: Date())
            let archive = try await Self.archive(home, "archive", ["-C", home, "data"])
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<4 { group.addTask { try await Self.update(archive, home).status } }
                let statuses = try await group.reduce(into: []) { $0.append($1) }
                #expect(statuses.contains(0) && statuses.allSatisfy { [0, 2].contains($0) }, "\(statuses)")
            }
            let shown = try await CommandLineTool.servertrust(["apple-data", "show", "--apple-data", home + "/target"])
            #expect(shown.status == 0 && shown.output.contains("1, 1 of them for TLS servers"), "\(shown.errors)")
            // A link to a folder that is gone is mended.
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: home + "/target")
            try FileManager.default.removeItem(atPath: home + "/" + target)
            #expect(try await Self.update(archive, home).status == 0)
        }
    }

    @Test("A bad date in an archive asks for --date")
    func badDate() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            let (_, data) = try PublicTrustTests.program(home, fetched: Date())
            try "soon".write(toFile: data + "/DATE", atomically: true, encoding: .utf8)
            let finished = try await Self.update(try await Self.archive(home, "archive", ["-C", home, "data"]), home)
            #expect(finished.status == 2 && finished.errors.contains("--date"), "\(finished.errors)")
            #expect(!finished.errors.contains("date -u"))
        }
    }

    @Test("The address of a repository at github.com stands for its archive")
    func repositories() {
        let archive = "https://github.com/apple/data/archive/HEAD.tar.gz"
        for address in [
            "https://github.com/apple/data", "https://github.com/apple/data/", "https://github.com/apple/data.git",
        ] {
            #expect(AppleDataDownload.archive(of: address) == archive)
        }
        for address in [archive, "https://example.com/apple/data", "https://github.com/apple", "http://github.com/a/b"]
        {
            #expect(AppleDataDownload.archive(of: address) == address)
        }
    }

    @Test("An address is fetched from a trusted server alone")
    func addresses() async throws {
        try await withTemporaryFolder { folder in
            let home = folder.path(".")
            _ = try PublicTrustTests.program(home, fetched: Date())
            _ = try await Self.archive(home, "data.tar.gz", ["-z", "-C", home, "data"])
            let authority = try TestAuthority()
            let chain = [try authority.issue(.leaf(dnsNames: [], ipAddresses: ["127.0.0.1"])), authority.root]
            let root = folder.path("root.pem")
            try authority.root.pem.write(toFile: root, atomically: true, encoding: .utf8)
            try await OpenSSLServer.with(["-WWW"], serving: home, chain) { port in
                let address = "https://127.0.0.1:\(port)/data.tar.gz"
                let local = "--dangerously-allow-local-addresses"
                let refused = try await Self.update(address, home)
                #expect(refused.status == 2 && refused.errors.contains("is not a public address"), "\(refused.errors)")
                let untrusted = try await Self.update(address, home, [local])
                #expect(untrusted.status == 2 && untrusted.errors.contains("is not trusted: "), "\(untrusted.errors)")
                #expect(!FileManager.default.fileExists(atPath: home + "/target"))
                let missing = try await Self.update("\(address)x", home, [local, "--roots", root])
                #expect(missing.status == 2, "\(missing.output)")
                let plain = try await Self.update("http://127.0.0.1:\(port)/data.tar.gz", home, [local])
                #expect(plain.status == 2 && plain.errors.contains("not one of https"), "\(plain.errors)")
                let taken = try await Self.update(address, home, [local, "--roots", root])
                #expect(taken.status == 0 && taken.output.contains("has 1 roots"), "\(taken.errors)")
            }
        }
    }

    @Test("Options about an address are refused without one")
    func options() async throws {
        for more in [["--roots", "system"], ["--timeout", "5"], ["--dangerously-allow-local-addresses"]] {
            let finished = try await Self.update("/nonexistent", "/tmp", more)
            #expect(finished.status == 64 || finished.status == 2)
            #expect(finished.errors.contains("is about fetching from an address"), "\(finished.errors)")
        }
    }
}
