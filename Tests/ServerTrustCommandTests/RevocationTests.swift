//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite(
    "Revocation with OpenSSL's own authority and responder",
    .enabled(if: CommandLineTool.installed("openssl") != nil), .limitedConcurrency, .timeLimit(.minutes(2))
)
struct RevocationTests {
    @Test("Lists and answers of OpenSSL are understood, before and after it revokes the certificate")
    func openSSL() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            #expect(try await authority.evaluate(["--crl", "good.crl"]) == 0)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--ocsp", "good.ocsp", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--revocation", "hard"]) == 1)
            try await authority.revoke()
            try await authority.publish("bad")
            #expect(try await authority.evaluate(["--crl", "bad.crl"]) == 1)
            #expect(try await authority.evaluate(["--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "bad.crl", "--at", "2099-01-01"]) == 1)
        }
    }

    @Test(
        "A file that tells nothing about revocation ends with 2",
        arguments: [
            ["--crl", "root.pem"], ["--crl", "missing.crl"], ["--crl", "empty"], ["--crl", "."],
            ["--ocsp", "root.pem"],
            ["--ocsp", "empty"], ["--crl", "cut.crl"], ["--crl", "good.crl", "--revocation", "off"],
            ["--revocation", "sometimes"],
        ])
    func unusableFiles(arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            _ = try folder.file("empty", "")
            let list = try Data(contentsOf: URL(fileURLWithPath: folder.path("good.crl")))
            _ = try folder.file("cut.crl", contents: list.prefix(list.count / 2))
            #expect(try await authority.evaluate(arguments) == 2)
        }
    }
}
