//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite("Commands that read apps", .limitedConcurrency, .timeLimit(.minutes(10)))
struct AppCommandTests {
    private static let pins = """
        <key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedCAIdentities</key><array>
        <dict><key>SPKI-SHA256-BASE64</key><string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></dict>
        <dict><key>SPKI-SHA256-BASE64</key><string>WoiWRyIOVNa9ihaBciRSC7XHjliYS9VwUGOIud4PB18=</string></dict>
        </array></dict></dict>
        """

    private static func plist(_ keys: String) -> String {
        """
        <?xml version="1.0"?>
        <plist version="1.0"><dict><key>CFBundleName</key><string>A</string>
        <key>NSAppTransportSecurity</key><dict>\(keys)</dict></dict></plist>
        """
    }

    private static let app = Self.plist("<key>NSAllowsArbitraryLoads</key><string>YES</string>" + Self.pins)

    private static let archive = TestZip([
        TestZip.File("Payload/A.app/Info.plist", Self.app),
        TestZip.File("Payload/A.app/PlugIns/W.appex/Info.plist", Self.plist("")),
    ]).octets

    /// The commands, with the file behind their words and more behind that.
    private static let commands: [([String], [String])] = [
        (["ats", "lint"], []), (["ats", "lint", "--format", "json"], []), (["ats", "lint", "--format", "sarif"], []),
        (["ats", "explain"], ["https://a.test"]), (["pins", "check"], []),
    ]

    @Test("An app in an archive has the answers of its Info.plist alone", arguments: commands)
    func archives(words: [String], rest: [String]) async throws {
        try await withTemporaryFolder { folder in
            let alone = try folder.file("Info.plist", Self.app)
            let archive = try folder.file("A.ipa", contents: Self.archive)
            let one = try await CommandLineTool.servertrust(words + [alone] + rest)
            let other = try await CommandLineTool.servertrust(words + [archive] + rest)
            #expect(one.status == other.status, "\(other.output) \(other.errors)")
            // What is said of the app's Info.plist is the same; of the extension more may be said.
            let lines = one.output.replacingOccurrences(of: alone, with: "FILE").split(separator: "\n")
            let others = other.output.replacingOccurrences(of: "\(archive):Payload/A.app/Info.plist", with: "FILE")
                .replacingOccurrences(of: archive, with: "FILE")
            let shown = lines.filter { $0.contains("FILE:") && !$0.contains("uri") }
            for line in shown { #expect(others.contains(line), "\(line)\n\(others)") }
            if words == ["ats", "lint"] {
                #expect(others.contains("It differs from the app's in NSPinnedDomains/a.test."), "\(others)")
            }
        }
    }

    @Test("Files that are no Info.plist are named, and a build setting too")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let setting = Self.plist("<key>NSExceptionDomains</key><dict><key>$(API_HOST)</key><dict/></dict>")
            let cases: [(String, [UInt8], Int32, String)] = [
                ("app.json", Array(#"{"name": "x"}"#.utf8), 2, "Expo"),
                (
                    "Expo/app.json",
                    Array(
                        #"{"expo":{"ios":{"infoPlist":{"NSAppTransportSecurity":{"NSAllowsArbitraryLoads":"YES"}}}}}"#
                            .utf8), 1, "Expo makes"
                ),
                ("fragment", Array("<key>NSAppTransportSecurity</key><dict/>".utf8), 0, "fragment"),
                ("Info.plist", Array(setting.utf8), 1, "build setting"),
                ("cut.ipa", Array(Self.archive.dropLast(5)), 2, "cut off"),
            ]
            try FileManager.default.createDirectory(atPath: folder.path("Expo"), withIntermediateDirectories: true)
            for (name, octets, status, word) in cases {
                let file = try folder.file(name, contents: octets)
                let finished = try await CommandLineTool.servertrust(["ats", "lint", file])
                #expect(finished.status == status, "\(name): \(finished.output) \(finished.errors)")
                #expect((finished.output + finished.errors).contains(word), "\(name): \(finished.output)")
            }
            let show = try await CommandLineTool.servertrust(["show", try folder.file("A.ipa", contents: Self.archive)])
            #expect(show.status == 0 && show.output.contains("a zip archive"), "\(show.output) \(show.errors)")
        }
    }
}
