//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import ServerTrustNIO
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Users and passwords of .netrc")
struct GetNetrcTests {
    private static let text = "machine a.test login u password p\nmachine b.test login v password w\n"

    private static func shown(_ arguments: [String], url: String) async throws -> HTTPRequestCredential? {
        try await withTemporaryFolder { folder in
            let file = try folder.file(".netrc", Self.text)
            let arguments = arguments.map { $0 == "FILE" ? file : $0 }
            let options = try GetAuthenticationOptions.parse(arguments)
            let home = String(file.dropLast("/.netrc".count))
            return try options.credential(at: try HTTPURL(url), try options.netrc(home: home))
        }
    }

    @Test(
        "The file is read where an option says so, and tells who asks at the host of the URL alone",
        arguments: [
            ([], "https://a.test/", nil), (["-n"], "https://c.test/", nil), (["-n"], "https://sub.a.test/", nil),
            (["-n"], "https://a.test/", "u:p"), (["--netrc"], "https://b.test/", "v:w"),
            (["--netrc-file", "FILE"], "https://a.test/", "u:p"), (["--netrc-optional"], "https://a.test/", "u:p"),
            (["-n"], "https://u@a.test/", "u:p"), (["-n"], "https://x@a.test/", "x:"),
            (["-n"], "https://u:q@a.test/", "u:p"), (["--netrc-optional"], "https://u:q@a.test/", "u:q"),
            (["-n", "-u", "x:y"], "https://a.test/", "x:y"),
        ] as [([String], String, String?)])
    func credentials(arguments: [String], url: String, expected: String?) async throws {
        var credential = try expected.map { try GetAuthenticationOptions.credential($0, .basic) }
        // Those of a file or a URL are for that host, and no other one that it redirects to.
        credential?.isForOriginAlone = !arguments.contains("-u")
        #expect(try await Self.shown(arguments, url: url) == credential)
    }

    @Test(
        "A file that cannot be read is an error, unless it may be missing", arguments: ["-n", "--netrc-file=no/file"])
    func missing(option: String) throws {
        let options = try GetAuthenticationOptions.parse([option])
        #expect(throws: CommandError.self) { try options.netrc(home: "no/folder") }
        let optional = try GetAuthenticationOptions.parse([option, "--netrc-optional"])
        #expect(throws: Never.self) { try optional.netrc(home: "no/folder") }
    }

    @Test("A file that is too large is an error without advice about uploads")
    func tooLarge() async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file(".netrc", String(repeating: "#", count: (32 << 20) + 1))
            let options = try GetAuthenticationOptions.parse(["--netrc-file", file])
            let error = #expect(throws: CommandError.self) { try options.netrc(home: nil) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("large") && !text.contains("upload"), "\(text)")
        }
    }
}
