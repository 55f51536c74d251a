//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Files that are not what they should be", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostileFileTests {
    /// A file by what is wrong with it, and what the message has to say.
    enum Kind: String, CaseIterable, Sendable {
        case empty, missing, folder, pipe, device, huge, text, truncatedDER, derAndMore, unterminatedPEM, notBase64
        case pemOfRubbish, keyOnly

        var message: String {
            switch self {
            case .empty: "no data"
            case .missing: "cannot read"
            case .folder: "is a folder"
            case .pipe, .device: "not a regular file"
            case .huge: "too large"
            case .text, .keyOnly: "certificate"
            case .truncatedDER, .pemOfRubbish: "not a valid X.509 certificate"
            case .derAndMore: "octets follow the end of the certificate"
            case .unterminatedPEM: "cut off"
            case .notBase64: "not Base64"
            }
        }

        func make(in folder: TemporaryFolder, _ certificate: TestCertificate) throws -> String {
            switch self {
            case .empty: return try folder.file("file", "")
            case .missing: return folder.path("missing")
            case .folder: return folder.url.path
            case .device: return "/dev/zero"
            case .text: return try folder.file("file", "hello\n")
            case .truncatedDER: return try folder.file("file", contents: certificate.der.dropLast(1))
            case .derAndMore: return try folder.file("file", contents: certificate.der + [0])
            case .unterminatedPEM: return try folder.file("file", String(certificate.pem.prefix(200)))
            case .notBase64: return try folder.file("file", Self.pem("MII!\u{1B}[31m"))
            case .pemOfRubbish: return try folder.file("file", Self.pem("AAAA"))
            case .keyOnly: return try folder.file("file", try certificate.privateKey.pem)
            case .pipe:
                try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
                return folder.path("pipe")
            case .huge:
                let path = try folder.file("huge", "")
                try #require(truncate(path, 100 << 20) == 0)
                return path
            }
        }

        private static func pem(_ body: String) -> String {
            "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
        }
    }

    @Test("A chain that cannot be read ends with 2 and says why", arguments: Kind.allCases)
    func chains(kind: Kind) async throws {
        let root = try TestAuthority().root
        try await withTemporaryFolder { folder in
            let path = try kind.make(in: folder, root)
            let finished = try await CommandLineTool.servertrust(["evaluate", "--chain", path, "--host", "a.test"])
            Self.expectError(finished, kind.message)
        }
    }

    @Test("Roots that cannot be read end with 2 and say why", arguments: Kind.allCases.filter { $0 != .folder })
    func roots(kind: Kind) async throws {
        let root = try TestAuthority().root
        try await withTemporaryFolder { folder in
            let chain = try folder.file("chain", root.pem)
            let path = try kind.make(in: folder, root)
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", chain, "--host", "a.test", "--roots", path, "--anchors-only",
            ])
            Self.expectError(finished, kind == .keyOnly ? "no trusted certificate" : kind.message)
        }
    }

    @Test("A certificate cut off anywhere ends with 2")
    func truncations() async throws {
        let der = try TestAuthority().root.der
        try await withTemporaryFolder { folder in
            // The library's own tests cut at every offset; here some of each part, through the whole program.
            for length in [1, 2, 3, 4, 5, der.count / 4, der.count / 2, der.count - 80, der.count - 2] {
                let path = try folder.file("cut", contents: der.prefix(length))
                Self.expectError(
                    try await CommandLineTool.servertrust(["evaluate", "--chain", path, "--any-host"]), "certificate")
            }
        }
    }

    private static func expectError(_ finished: Finished, _ message: String) {
        #expect(finished.isCleanExit && finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("servertrust: ") && finished.errors.contains(message), "\(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count == 1)
        #expect(!finished.errors.contains("\u{1B}"))
    }
}
