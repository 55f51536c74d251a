//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A profile made in code.
package enum TestProfile {
    /// A payload as XML.
    package static func payload(
        _ type: String, _ keys: String = "", uuid: String = "11111111-0000-0000-0000-00000000000A"
    )
        -> String
    {
        "<dict><key>PayloadType</key><string>\(type)</string><key>PayloadUUID</key><string>\(uuid)</string>"
            + "<key>PayloadDisplayName</key><string>The \(type)</string>\(keys)</dict>"
    }

    package static func string(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><string>\(value)</string>"
    }
    package static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
    package static func data(_ octets: [UInt8]) -> String { "<data>\(Data(octets).base64EncodedString())</data>" }

    package static func xml(_ payloads: [String]) -> [UInt8] {
        Array(
            ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>PayloadType</key>"
                + "<string>Configuration</string><key>PayloadDisplayName</key><string>Enrolment</string>"
                + "<key>PayloadContent</key><array>\(payloads.joined())</array></dict></plist>").utf8)
    }

    package static let identity = Self.payload("com.apple.security.scep", uuid: "AAAAAAAA-0000-0000-0000-000000000001")
    package static func mdm(_ keys: String = "") -> String {
        Self.payload(
            "com.apple.mdm",
            Self.string("ServerURL", "https://mdm.example.com/mdm")
                + Self.string("IdentityCertificateUUID", "aaaaaaaa-0000-0000-0000-000000000001") + keys)
    }

    /// Signs a profile with OpenSSL, in DER or streamed in BER.
    package static func signed(_ content: [UInt8], _ options: [String] = []) async throws -> [UInt8] {
        try await withTemporaryFolder { folder in
            let openssl = CommandLineTool.installed("openssl") ?? "openssl"
            let profile = try folder.file("p", contents: content)
            let (key, certificate) = (folder.path("key"), folder.path("cert"))
            let made = try await CommandLineTool.run(
                openssl,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Signer", "-days", "9", "-keyout",
                    key,
                    "-out", certificate,
                ])
            guard made.status == 0 else { throw SigningError(output: made.errors) }
            let message = folder.path("signed")
            let finished = try await CommandLineTool.run(
                openssl,
                [
                    "cms", "-sign", "-nodetach", "-binary", "-outform", "DER", "-signer", certificate, "-inkey", key,
                    "-in",
                    profile, "-out", message,
                ] + options)
            guard finished.status == 0 else { throw SigningError(output: finished.errors) }
            return Array(try Data(contentsOf: URL(fileURLWithPath: message)))
        }
    }
}

/// The message of OpenSSL where it did not sign.
private struct SigningError: Error {
    let output: String
}
