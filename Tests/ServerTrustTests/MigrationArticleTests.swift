//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@Suite("Articles for users of other libraries")
struct MigrationArticleTests {
    @Test(
        "Each name of challenges, credentials, identities and streams has its row",
        arguments: ["ComingFromSecTrust", "ComingFromAFNetworking", "ComingFromAlamofire"])
    func rows(article: String) throws {
        let names = try Self.publicNames()
        #expect(names.isSuperset(of: ["ProtectionSpace", "httpBasic", "setDefaultCredential", "upgrade", "noKey"]))
        let text = try Self.text("Sources/ServerTrust/Documentation.docc/\(article).md").replacing("``", with: "`")
        var rows: Set<Substring> = []
        for line in text.split(separator: "\n") where line.hasPrefix("|") {
            for (place, code) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where place % 2 == 1 {
                rows.formUnion(code.matches(of: /\w+/).map(\.output))
            }
        }
        #expect(names.filter { !rows.contains(Substring($0)) }.sorted() == [])
    }

    private static let folders = [
        "Sources/ServerTrust/Challenges", "Sources/ServerTrust/Challenges/Storage", "Sources/ServerTrustNIO/Stream",
        "Sources/ServerTrustNIO/Identity",
    ]
    /// What conformances ask for, which says nothing to readers of articles.
    private static let usual: Set = [
        "description", "debugDescription", "customMirror", "rawValue", "hash", "Element", "Iterator",
        "makeAsyncIterator", "next", "callAsFunction",
    ]

    /// The names that the files of these parts declare in public: types, their members, cases and requirements.
    private static func publicNames() throws -> Set<String> {
        var names: Set<String> = []
        for folder in self.folders {
            let files = try FileManager.default.contentsOfDirectory(
                atPath: self.root.appendingPathComponent(folder).path)
            for file in files where file.hasSuffix(".swift") {
                names.formUnion(self.publicNames(in: try self.text("\(folder)/\(file)")))
            }
        }
        return names.subtracting(self.usual)
    }

    private static func publicNames(in source: String) -> Set<String> {
        var names: Set<String> = []
        // What is public without a word of its own: the cases of a public enumeration, and the requirements of a protocol.
        var (kind, indentation): (Substring, String) = ("", "")
        for line in source.split(separator: "\n") {
            if let found = line.firstMatch(
                of: /^( *)public (?:\w+ )*?(struct|enum|class|protocol|func|var|let) `?(\w+)/)
            {
                names.insert(String(found.3))
                if ["struct", "enum", "class", "protocol"].contains(found.2) {
                    (kind, indentation) = (found.2, found.1 + "    ")
                }
            } else if let found = line.firstMatch(of: /^( *)(case|(?:mutating )?func|var) `?(\w+)/),
                indentation == String(found.1)
            {
                if kind == (found.2 == "case" ? "enum" : "protocol") { names.insert(String(found.3)) }
            }
        }
        return names
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: self.root.appendingPathComponent(path), encoding: .utf8)
    }
}
