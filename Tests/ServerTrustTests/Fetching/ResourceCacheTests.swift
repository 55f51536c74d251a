//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@Suite("Keeping what was fetched")
struct ResourceCacheTests {
    private let fetcher = MemoryFetcher([
        TestURL.ocsp: ocspAnswer(), TestURL.list: listAnswer(),
        TestURL.otherOCSP: ocspAnswer { $0.status = revokedStatus },
    ])

    private func evaluate(_ trust: Trust, _ cache: ResourceCache, at now: Date = Date(testTime)) async throws
        -> FetchedTrustResult
    {
        try await trust.evaluate(
            fetching: self.fetcher,
            testOptions {
                $0.cache = cache
                $0.now = now
            })
    }

    @Test("What told something is not fetched again, good or revoked, and is verified again")
    func remembered() async throws {
        let cache = ResourceCache()
        for trust in [try fetchingTrust(), try fetchingTrust(ocsp: [])] {
            #expect(try await self.evaluate(trust, cache).summary == "trusted")
            let again = try await self.evaluate(trust, cache)
            #expect(again.summary == "trusted")
            #expect(again.log.hasSuffix("cached"))
        }
        let revoked = try fetchingTrust(ocsp: [TestURL.otherOCSP])
        #expect(try await self.evaluate(revoked, cache).summary == "revoked")
        #expect(try await self.evaluate(revoked, cache).summary == "revoked")
        #expect(self.fetcher.requests.count == 3)
        cache.removeAll()
        #expect(try await self.evaluate(revoked, cache).log == "ocsp:used")
    }

    @Test("What told nothing is not kept")
    func notRemembered() async throws {
        let fetcher = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.signer = .p256(9) }])
        let cache = ResourceCache()
        let trust = try fetchingTrust(lists: [])
        for _ in 0..<2 {
            let result = try await trust.evaluate(fetching: fetcher, testOptions { $0.cache = cache })
            #expect(result.log == "ocsp:unusable")
        }
    }

    @Test("Nothing outlives the day, or the moment a newer answer is due")
    func lifetimes() async throws {
        let cache = ResourceCache()
        let trust = try fetchingTrust()
        let start = Date(testTime)
        _ = try await self.evaluate(trust, cache)
        #expect(try await self.evaluate(trust, cache, at: start + 86_399).log == "ocsp:cached")
        #expect(try await self.evaluate(trust, cache, at: start + 86_400).log == "ocsp:used")
        let short = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.nextUpdate = "20260601000100Z" }])
        let other = ResourceCache()
        _ = try await trust.evaluate(fetching: short, testOptions { $0.cache = other })
        #expect(try await self.evaluate(trust, other, at: start + 59).log == "ocsp:cached")
        #expect(try await self.evaluate(trust, other, at: start + 60).log == "ocsp:used")
        let endless = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.nextUpdate = nil }])
        let none = ResourceCache()
        _ = try await trust.evaluate(fetching: endless, testOptions { $0.cache = none })
        #expect(try await self.evaluate(trust, none).log == "ocsp:used")
    }

    @Test("What was kept while the clock ran ahead is not used when it is right again")
    func clockAhead() async throws {
        let cache = ResourceCache()
        let trust = try fetchingTrust()
        let start = Date(testTime)
        _ = try await self.evaluate(trust, cache, at: start + 2 * 86_400)
        #expect(try await self.evaluate(trust, cache, at: start).log == "ocsp:used")
        #expect(try await self.evaluate(trust, cache, at: start).log == "ocsp:cached")
    }

    @Test("With nonces nothing is taken from the cache")
    func nonces() async throws {
        let cache = ResourceCache()
        let trust = try fetchingTrust()
        _ = try await self.evaluate(trust, cache)
        let options = testOptions {
            $0.cache = cache
            $0.usesNonce = true
        }
        #expect(try await trust.evaluate(fetching: self.fetcher, options).log == "ocsp:used")
    }

    @Test("A cache that is too small keeps nothing, and works")
    func small() async throws {
        let cache = ResourceCache(maximumSize: 100)
        let trust = try fetchingTrust()
        for _ in 0..<2 { #expect(try await self.evaluate(trust, cache).log == "ocsp:used") }
    }

    // MARK: In a folder

    @Test("A folder serves the next program")
    func folder() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/new/cache"
        let trust = try fetchingTrust()
        #expect(try await self.evaluate(trust, ResourceCache(folder: path)).log == "ocsp:used")
        #expect(try await self.evaluate(trust, ResourceCache(folder: path)).log == "ocsp:cached")
        #expect(try await self.evaluate(fetchingTrust(), ResourceCache()).log == "ocsp:used")
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.count == 1)
        #expect(names.allSatisfy { $0.hasPrefix("ocsp-") && $0.hasSuffix(".resource") && $0.utf8.count == 78 })
        try ResourceCache(folder: path).removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test("A file that is damaged, cut off, replaced or tampered with is as good as none")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let trust = try fetchingTrust()
        _ = try await self.evaluate(trust, ResourceCache(folder: folder.path))
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let file = URL(fileURLWithPath: folder.path + "/" + name)
        let whole = [UInt8](try Data(contentsOf: file))
        var flipped = whole
        flipped[flipped.count - 1] ^= 1
        var endless = whole
        endless.replaceSubrange(14..<22, with: [0x7F] + [UInt8](repeating: 0xFF, count: 7))
        let forged = Array(whole[..<22]) + (try TestOCSPResponse(signer: .p256(9)).view().bytes)
        for contents in [[], Array(whole[..<14]), Array(whole[..<22]), Array(whole[..<60]), flipped, endless, forged] {
            try Data(contents).write(to: file)
            #expect(try await self.evaluate(trust, ResourceCache(folder: folder.path)).log == "ocsp:used")
        }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(try await self.evaluate(trust, ResourceCache(folder: folder.path)).log == "ocsp:used")
    }

    @Test("A place where no folder can be is an error, not a cache that keeps nothing")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("file", "x")
        #expect(throws: FileError.self) { try ResourceCache(folder: file) }
        #expect(throws: FileError.self) { try ResourceCache(folder: file + "/below") }
    }

    @Test("A folder is made for its user alone, and so are its files")
    func modes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/new/cache"
        _ = try await self.evaluate(fetchingTrust(), ResourceCache(folder: path))
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
        #expect(try Self.mode(folder.path + "/new") == 0o700)
        #expect(try Self.mode(path) == 0o700)
        #expect(try Self.mode(path + "/" + file) == 0o600)
    }

    @Test("A folder that others can write to is refused", arguments: [0o770, 0o707, 0o1777, 0o722])
    func writableByOthers(mode: Int) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        let error = #expect(throws: FileError.self) { try ResourceCache(folder: folder.path) }
        #expect(error?.reason == .writableByOthers)
        #expect("\(try #require(error))".contains(folder.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(throws: Never.self) { try ResourceCache(folder: folder.path) }
    }

    @Test("A folder of another user is refused")
    func ownedByAnother() throws {
        let folder = try TemporaryFolder()
        let path = getuid() == 0 ? folder.path : "/"
        if getuid() == 0 { #expect(chown(path, 65_534, 65_534) == 0) }
        let error = #expect(throws: FileError.self) { try ResourceCache(folder: path) }
        #expect(error?.reason == .ownedByAnother)
    }

    @Test("Only regular files by the cache's own names are removed, to make room and altogether")
    func foreignFiles() async throws {
        let folder = try TemporaryFolder()
        let digits = String(repeating: "0", count: 64)
        let foreign = [
            "notes.resource", "ocsp-.resource", "ocsp-\(digits)0.resource", "ocsp-\(digits.dropLast())G.resource",
            "key-\(digits).resource", "ocsp-\(digits).resources", "OCSP-\(digits).resource", "ocsp_\(digits).resource",
        ]
        for name in foreign { _ = try folder.write(name, "mine") }
        for index in 0..<1_030 { _ = try folder.write("\(index).resource", "mine") }
        let inside = try folder.folder("crl-\(digits).resource") + "/file"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: inside))
        let link = folder.path + "/issuer-\(digits).resource"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/notes.resource")
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        let cache = try ResourceCache(folder: folder.path)
        _ = try await self.evaluate(fetchingTrust(), cache)
        let own = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(before)
        #expect(own.count == 1)
        cache.removeAll()
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == before)
        #expect(FileManager.default.fileExists(atPath: inside))
    }

    @Test("The folder keeps a bounded number of its own files")
    func room() async throws {
        let folder = try TemporaryFolder()
        for index in 0..<1_024 {
            let digits = String(index, radix: 16)
            _ = try folder.write("ocsp-\(String(repeating: "0", count: 64 - digits.count))\(digits).resource", "x")
        }
        _ = try await self.evaluate(fetchingTrust(), ResourceCache(folder: folder.path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 513)
    }

    private static func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}
