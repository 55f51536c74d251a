//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

/// A file, a question about it, and what the answer has and has not to say.
private struct SmallText: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let contents: String
    /// `FILE` is the path of the file.
    let arguments: [String]
    let phrases: [String]
    var wrong: [String] = []

    init(
        _ description: String, _ name: String, _ contents: String, _ arguments: [String], phrases: [String],
        wrong: [String] = []
    ) {
        (self.testDescription, self.name, self.contents) = (description, name, contents)
        (self.arguments, self.phrases, self.wrong) = (arguments, phrases, wrong)
    }
}

private func plist(_ contents: String) -> String { "<plist version=\"1.0\"><dict>\(contents)</dict></plist>" }

private func security(_ contents: String) -> String {
    plist("<key>NSAppTransportSecurity</key><dict>\(contents)</dict>")
}

private func exception(_ name: String, _ contents: String) -> String {
    security("<key>NSExceptionDomains</key><dict><key>\(name)</key><dict>\(contents)</dict></dict>")
}

private let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key>"
private let openDomain = exception("com", "<key>NSIncludesSubdomains</key><true/>\(insecure)<true/>")
private let localNetworking = security("<key>NSAllowsLocalNetworking</key><true/>")

private let texts: [SmallText] = [
    SmallText(
        "names below an address, and a placeholder", "pins.xml",
        "<network-security-config><domain-config><domain includeSubdomains=\"true\">103.175.122.31</domain><pin-set>"
            + "<pin digest=\"SHA-256\">BACKUP_HASH_HERE</pin></pin-set></domain-config></network-security-config>",
        ["pins", "check", "FILE"],
        phrases: [
            "error: \"103.175.122.31\": an address has no names below it. Leave out includeSubdomains",
            "a placeholder, and no pin", "Put the digest of a real key there.",
        ], wrong: ["\"103.175.122.31\": \"103", "Write a DNS name", "Write Base64", "Write +"]),
    SmallText(
        "a placeholder beside a pin in TrustKit's file", "pins.plist",
        plist(
            "<key>TSKPinnedDomains</key><dict><key>good.example</key><dict><key>TSKPublicKeyHashes</key><array>"
                + "<string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string>"
                + "<string>AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=</string></array></dict></dict>"),
        ["pins", "check", "FILE"],
        phrases: ["which no key has", "TrustKit counts the placeholder as a second, and starts"],
        wrong: ["refuses to start"]),
    SmallText(
        "a top-level domain that is open", "Info.plist", openDomain, ["ats", "lint", "FILE"],
        phrases: ["every name below the top-level domain \"com\", and allows plain HTTP to all of them"],
        wrong: ["local name", "remove the entry"]),
    SmallText(
        "a name below an open top-level domain", "Info.plist", openDomain,
        ["ats", "explain", "FILE", "http://www.example.com"],
        phrases: ["ALLOWED", "com › NSExceptionAllowsInsecureHTTPLoads"]
    ),
    SmallText(
        "an entry whose name and whose key are wrong", "Info.plist",
        exception("Example.com", "\(insecure)<string>YES</string>"),
        ["ats", "lint", "FILE"], phrases: ["Write example.com.", "is a string, not a boolean"],
        wrong: ["changes nothing", "Remove the entry"]),
    SmallText(
        "a page in place of a certificate", "chain.pem", "<!DOCTYPE html><html><body>Not found</body></html>",
        ["evaluate", "--chain", "FILE", "--host", "a.test"],
        phrases: ["this is an HTML page, and not a certificate", "Download the certificate itself"],
        wrong: ["ask its issuer", "X.509", "byte 0"]),
    SmallText(
        "an address beside NSAllowsLocalNetworking", "Info.plist", localNetworking,
        ["ats", "explain", "FILE", "http://192.168.1.5:8123"],
        phrases: [
            "It depends on the device", "on a network that the device is attached to",
            "NSAllowsLocalNetworking is false",
            "of a VPN, it is refused", "--local or --no-local",
        ]),
    SmallText(
        "the same by Apple's documentation", "Info.plist", localNetworking,
        ["ats", "explain", "FILE", "http://192.168.1.5:8123", "--strict", "documentation"],
        phrases: ["ALLOWED", "NSAllowsLocalNetworking, line 1"], wrong: ["It depends"]),
]

@Suite("Small texts that name the cause", .limitedConcurrency)
struct SmallTextTests {
    @Test("An answer names the cause, and nothing that is not", arguments: texts)
    fileprivate func phrases(text: SmallText) async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file(text.name, text.contents)
            let finished = try await CommandLineTool.servertrust(text.arguments.map { $0 == "FILE" ? file : $0 })
            let words = (finished.output + finished.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for phrase in text.phrases { #expect(words.contains(phrase), "\(phrase): \(words)") }
            for phrase in text.wrong { #expect(!words.contains(phrase), "\(phrase): \(words)") }
        }
    }

    @Test("All of an authority's certificate that decides verdicts is shown")
    func shownAuthority() async throws {
        let view = try FaultScene.root.authority(FaultScene.issuer) {
            $0.set(.basicConstraints(true, pathLength: 2))
            $0.set(.nameConstraints(permitted: [.dns("example.com")], excluded: [.dns("bad.example.com")]))
            $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1"))
            $0.extensions.append(.keyUsage(5))
        }
        try await withTemporaryFolder { folder in
            let shown = try await CommandLineTool.servertrust(["show", try folder.file("ca.der", contents: view.bytes)])
            for phrase in [
                "at most 2 intermediates below it", "example.com", "bad.example.com", "serverAuth",
                "keyUsage (2.5.29.15)",
            ] {
                #expect(shown.output.contains(phrase), "\(phrase): \(shown.output)")
            }
        }
    }

    @Test(
        "A PKCS #12 file in Base64 is decoded by the command that is printed",
        .enabled(if: CommandLineTool.installed("openssl") != nil))
    func encodedKeyStore() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await authority.shell(
                "openssl pkcs12 -export -in site.pem -inkey site.key -out id.p12 -passout pass:x && base64 id.p12 > OLD"
            )
            let question = ["check", "127.0.0.1:1", "--p12"]
            let old = try await CommandLineTool.servertrust(question + [folder.path("OLD") + ":x"])
            let printed = try #require(old.errors.firstMatch(of: /base64 -d OLD > NEW\.p12/), "\(old.errors)")
            #expect(!old.errors.contains("openssl pkcs12"))
            try await authority.shell(String(printed.output))
            let new = try await CommandLineTool.servertrust(question + [folder.path("NEW.p12") + ":x"])
            #expect(!new.errors.contains("PKCS#12") && new.output.contains("127.0.0.1:1"), "\(new.output)\(new.errors)")
        }
    }

    @Test("A server that demands a client certificate is in the headline of what is not known")
    func demandedCertificate() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let server = RealServer(product: .openssl, settings: ["-Verify", "1", "-verify_return_error"])
            try await server.run(in: folder) { port in
                let told = try await CommandLineTool.servertrust([
                    "diagnose", "a.test:\(port)", "--connect-to", "127.0.0.1", "--plan", "ats", "--anchors-only",
                    "--roots", folder.path("root.pem"),
                ])
                let head = told.output.split(separator: "\n").prefix(8).joined(separator: " ")
                #expect(head.contains("if they have the client certificate that the server asks for"), "\(told.output)")
            }
        }
    }

    @Test(
        "The plain reason stands before the rules on form",
        arguments: [
            ("an issuer that is no authority", "not-a-ca"), ("no name", "name-mismatch"),
            ("no subject", "empty-subject"),
        ])
    func order(fault: String, code: String) async throws {
        let scene: FaultScene =
            switch code {
            case "not-a-ca": try .intermediate { $0.set(.basicConstraints(false)) }
            case "name-mismatch": try .leaf { $0.remove("2.5.29.17") }
            default: try .leaf { $0.subject = DER.sequence() }
            }
        let codes = try await scene.with(["--profile", "webpki"]).told().reasons.map(\.code)
        #expect(codes.first == code && codes.contains("certificate-rule"), "\(fault): \(codes)")
        #expect(codes.last == "certificate-rule", "\(codes)")
    }
}
