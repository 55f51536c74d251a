//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import Testing

@testable import HTTPSession

/// A folder that is removed with the test.
private final class Folder {
    let path = NSTemporaryDirectory() + "cookies-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? [] }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(self.path)/\(name)")[.posixPermissions] as? Int
    }
}

@Suite("Files of cookies on the disk")
struct CookieFileTests {
    @Test("What is no regular file is not replaced")
    func notRegular() throws {
        let folder = try Folder()
        #expect(throws: CookieFileError(path: folder.path, reason: .notRegularFile)) {
            try CookieFile.write([], to: folder.path)
        }
        #expect(throws: CookieFileError(path: "/dev/null", reason: .notRegularFile)) {
            try CookieFile.write([], to: "/dev/null")
        }
        #expect(throws: FileError.self) { try CookieFile.read(folder.path) }
    }

    @Test("A folder that is not there is an error, and leaves nothing behind")
    func missingFolder() throws {
        let folder = try Folder()
        #expect(throws: CookieFileError.self) { try CookieFile.write([1], to: "\(folder.path)/a/b") }
        #expect(folder.names.isEmpty)
    }

    @Test("A file is replaced as a whole, for its owner alone")
    func replaced() throws {
        let folder = try Folder()
        let path = "\(folder.path)/jar"
        #expect(try CookieFile.read(path) == nil)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
        try #require(FileManager.default.createFile(atPath: path, contents: Data([9]), attributes: attributes))
        try CookieFile.write([1, 2], to: path)
        #expect(try CookieFile.read(path) == [1, 2])
        #expect(try folder.mode("jar") == 0o600)
        #expect(folder.names == ["jar"])
    }

    @Test("A symbolic link stays, and leads to the new contents")
    func link() throws {
        let folder = try Folder()
        try CookieFile.write([1], to: "\(folder.path)/real")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/real")
        try CookieFile.write([2], to: "\(folder.path)/link")
        #expect(try CookieFile.read("\(folder.path)/real") == [2])
        #expect(folder.names.sorted() == ["link", "real"])
    }
}
