//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// Info.plists that are made to hurt.
private enum Bomb: String, CaseIterable, Sendable {
    case hundredMegabytes, millionDomains, manyDomains, nestedXML, nestedJSON, nestedBinary, binaryCycle, binaryCount
    case entities, openBrackets

    func make(in folder: TemporaryFolder) throws -> String {
        let path = folder.path("Info.plist")
        switch self {
        case .hundredMegabytes:
            _ = FileManager.default.createFile(atPath: path, contents: Data("<plist><dict>".utf8))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 100 << 20)
            try file.close()
            return path
        case .millionDomains: return try folder.file("Info.plist", Self.domains(1_000_000))
        case .manyDomains: return try folder.file("Info.plist", Self.domains(200_000))
        case .nestedXML:
            return try folder.file("Info.plist", "<plist>" + String(repeating: "<dict><key>a</key>", count: 100_000))
        case .nestedJSON: return try folder.file("Info.plist", String(repeating: #"{"a":"#, count: 500_000))
        case .nestedBinary: return try folder.file("Info.plist", contents: Self.nestedBinary(60_000))
        case .binaryCycle: return try folder.file("Info.plist", contents: Self.binary([[0xD1, 0, 1], [0xA1, 0]]))
        case .binaryCount:
            return try folder.file(
                "Info.plist", contents: Self.binary([[0xDF, 0x13] + Array(repeating: 0x7F, count: 8)]))
        case .entities:
            let entities = (1...20).map { #"<!ENTITY e\#($0) "\#(String(repeating: "&e\($0 - 1);", count: 10))">"# }
            return try folder.file(
                "Info.plist", "<!DOCTYPE plist [\(entities.joined())]><plist><string>&e20;</string></plist>")
        case .openBrackets: return try folder.file("Info.plist", String(repeating: "[", count: 4_000_000))
        }
    }

    private static func domains(_ count: Int) -> String {
        let entries = (0..<count).map { "<key>d\($0).test</key><dict/>" }.joined()
        return "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>\(entries)"
            + "</dict></dict></dict></plist>"
    }

    /// Arrays within each other, each an object of its own.
    private static func nestedBinary(_ count: Int) -> [UInt8] {
        let objects = (0..<count).map { [0xA1, UInt8(($0 + 1) % count >> 8), UInt8(($0 + 1) % count & 0xFF)] }
        return Self.binary(objects, referenceSize: 2)
    }

    /// A binary property list of objects, the first of which is the root.
    private static func binary(_ objects: [[UInt8]], referenceSize: UInt8 = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 16 & 0xFF), UInt8(bytes.count >> 8 & 0xFF), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        func wide(_ number: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
        let table = bytes.count
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 3, referenceSize] + wide(objects.count) + wide(0) + wide(table)
    }
}

@Suite("Info.plists that are made to hurt", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostilePropertyListTests {
    @Test("They are refused with one line, in bounded time and memory", arguments: Bomb.allCases)
    fileprivate func bombs(bomb: Bomb) async throws {
        try await withTemporaryFolder { folder in
            let path = try bomb.make(in: folder)
            for arguments in [["lint", path], ["explain", path, "http://example.com"]] {
                // Three quarters of a gigabyte of heap, and half a minute of a processor.
                let limited = [
                    "-c", "ulimit -d 786432 -t 30; exec \"$0\" ats \"$@\"", try CommandLineTool.servertrustPath(),
                ]
                let finished = try await CommandLineTool.run("/bin/bash", limited + arguments)
                // What is not too much is read: then the answer is about http.
                let expected: Set<Int32> = bomb == .manyDomains ? [0, 1, 2] : [2]
                #expect(expected.contains(finished.status) && finished.isCleanExit, "\(bomb): \(finished.errors)")
                #expect(finished.status != 2 || finished.errors.split(separator: "\n").count == 1, "\(finished.errors)")
            }
        }
    }
}
