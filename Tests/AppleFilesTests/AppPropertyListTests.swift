//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import TestSupport
import Testing

@testable import AppleFiles

/// An app, a project or a fragment, and the domains that it allows.
@Suite("Apps in archives, folders and projects")
struct AppPropertyListTests {
    /// A folder that goes with the test.
    private final class Folder {
        let path = NSTemporaryDirectory() + "apps-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: self.path) }
    }

    private let folder = Folder()

    static func plist(_ keys: String) -> String {
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>CFBundleName</key><string>A</string>"
            + "<key>NSAppTransportSecurity</key><dict>\(keys)</dict></dict></plist>"
    }

    private static let open = Self.plist("<key>NSAllowsArbitraryLoads</key><true/>")
    private static let strict = Self.plist("")

    private func write(_ name: String, _ octets: [UInt8]) throws -> String {
        let path = self.folder.path + "/" + name
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(octets).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func write(_ name: String, _ text: String) throws -> String { try self.write(name, Array(text.utf8)) }

    @Test("An archive has the Info.plists of the app, its extensions and its watch app, as they are alone")
    func archive() throws {
        var files = [
            ("Payload/A.app/Info.plist", Self.open), ("Payload/A.app/PlugIns/W.appex/Info.plist", Self.strict),
            ("Payload/A.app/Watch/V.app/Info.plist", Self.open),
            ("Payload/A.app/Frameworks/F.framework/Info.plist", "no"),
            ("Payload/A.app/Settings.bundle/Root.plist", "no"),
        ].map { TestZip.File($0.0, $0.1) }
        files[1].method = 0
        let path = try self.write("A.ipa", TestZip(files).octets)
        let lists = AppPropertyList.all(at: path)
        #expect(lists.map(\.owner) == [.app, .watchApp, .appExtension])
        #expect(lists[0].path == "\(path):Payload/A.app/Info.plist")
        #expect(lists.map { $0.differences(from: lists[0]) } == [[], [], ["NSAllowsArbitraryLoads"]])
        let alone = AppPropertyList.all(at: try self.write("Info.plist", Self.open))
        #expect(try lists[0].result.get() == alone[0].result.get())
        #expect(try AppPropertyList.octets(ofAppAt: path) == Array(Self.open.utf8))
    }

    @Test("A hostile archive gives an error and no Info.plist")
    func hostileArchives() throws {
        let good = TestZip.File("Payload/A.app/Info.plist", Self.open)
        let outside = TestZip.File("../Payload/A.app/Info.plist", Self.open)
        var encrypted = good
        encrypted.flags = 1
        var large = good
        (large.size, large.compressedSize, large.usesZip64) = (5 << 30, 5 << 30, true)
        let archives: [([TestZip.File], String)] = [
            ([good, good], "stands twice"), ([good, outside], "leads out"), ([encrypted], "encrypted"),
            ([large], "larger"), ([TestZip.File("readme.txt", "x")], "no app"), ([], "no app"),
        ]
        for (files, message) in archives {
            let lists = AppPropertyList.all(at: try self.write("B.ipa", TestZip(files).octets))
            #expect(lists.count == 1)
            guard case .failure(let error) = lists[0].result else {
                Issue.record("\(message): read")
                continue
            }
            #expect(error.message.contains(message), "\(error)")
        }
        let cut = Array(TestZip([good]).octets.dropLast(9))
        #expect(throws: InfoPropertyListError.self) {
            try AppPropertyList.all(at: try self.write("C.ipa", cut))[0].result.get()
        }
    }

    @Test("A folder has its Info.plists, the nearest first, without what is fetched or linked")
    func folders() throws {
        _ = try self.write("src/App/Info.plist", Self.open)
        _ = try self.write("src/App/Widget/Widget-Info.plist", Self.strict)
        _ = try self.write("src/Pods/X/Info.plist", Self.open)
        _ = try self.write("src/other/app.json", "{\"name\":\"x\"}")
        let source = self.folder.path + "/src"
        try FileManager.default.createSymbolicLink(atPath: source + "/loop", withDestinationPath: source)
        let lists = AppPropertyList.all(at: source)
        #expect(lists.map(\.path) == ["\(source)/App/Info.plist", "\(source)/App/Widget/Widget-Info.plist"])
        _ = try self.write("A.xcarchive/Products/Applications/A.app/Info.plist", Self.open)
        #expect(AppPropertyList.all(at: self.folder.path + "/A.xcarchive").map(\.owner) == [.app])
        _ = try self.write("empty/readme", "x")
        #expect(throws: InfoPropertyListError.self) {
            try AppPropertyList.all(at: self.folder.path + "/empty")[0].result.get()
        }
    }

    @Test("Expo's app.json, a project and a fragment are read where such files have the dictionary")
    func otherFiles() throws {
        let expo = """
            {"expo": {"name": "x", "ios": {"infoPlist": {"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}}}}
            """
        let project = """
            // !$*UTF8*$!
            { objects = { 1 /* Debug */ = { isa = XCBuildConfiguration; buildSettings = {
                INFOPLIST_FILE = "App/Info.plist";
                "INFOPLIST_KEY_NSAppTransportSecurity" = { NSAllowsArbitraryLoads = YES; };
                PRODUCT_NAME = "$(TARGET_NAME)"; }; }; }; }
            """
        let nested = project.replacingOccurrences(
            of: "\"INFOPLIST_KEY_NSAppTransportSecurity\" = { NSAllowsArbitraryLoads = YES; };",
            with: "INFOPLIST_KEY_NSAppTransportSecurity_NSAllowsArbitraryLoads = YES;")
        let fragment = "<key>NSAppTransportSecurity</key>\n<dict><key>NSAllowsArbitraryLoads</key><true/></dict>\n"
        let cases: [(String, String, Bool)] = [
            ("app.json", expo, true), ("project.pbxproj", project, false), ("nested.pbxproj", nested, false),
            ("fragment.xml", fragment, true), ("dict.xml", "<!-- x --><dict>\(fragment)</dict>", true),
        ]
        for (name, text, isTrue) in cases {
            let list = AppPropertyList.all(at: try self.write(name, text))[0]
            let dictionary = try #require(try list.result.get().transportSecurity, "\(name)")
            // YES is a text in a project, and means nothing.
            #expect((dictionary.allowsArbitraryLoads?.value.isOn == true) == isTrue, "\(name)")
            #expect(dictionary.issues.isEmpty == isTrue, "\(name)")
            #expect(list.note?.isEmpty == false, "\(name)")
        }
        #expect(
            AppPropertyList.all(at: try self.write("p.pbxproj", project))[0].note?.contains("App/Info.plist") == true)
    }

    @Test(
        "Files that are no Info.plist are not passed in silence",
        arguments: [
            "{\"name\":\"x\",\"version\":\"1\"}", "{}", "// !$*UTF8*$!\n{ a = { INFOPLIST_FILE = { ", "PK\u{3}\u{4}",
            "<dict>",
        ])
    func others(text: String) throws {
        #expect(throws: InfoPropertyListError.self) {
            try AppPropertyList.all(at: try self.write("other.json", text))[0].result.get()
        }
    }

    @Test("A project that nests without end, or is all one quote, ends in an error")
    func hostileProjects() throws {
        for body in [String(repeating: "( ", count: 100_000), "\"" + String(repeating: "a", count: 100_000)] {
            let text = "// !$*UTF8*$!\n{ INFOPLIST_KEY_A = \(body)"
            #expect(throws: InfoPropertyListError.self) {
                try AppPropertyList.all(at: try self.write("h.pbxproj", text))[0].result.get()
            }
        }
    }
}
