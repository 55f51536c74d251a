//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite("Trust stores")
struct TrustStoreTests {
    static let (a, b, c) = (TestCertificates.root, TestCertificates.other, TestCertificates.third)

    static func code(_ make: () throws(TrustStoreError) -> TrustStore) -> TrustStoreError.Code? {
        do throws(TrustStoreError) {
            _ = try make()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A store without a certificate, or that cannot be read, is an error that names it")
    func errors() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path + "/missing.pem"
        #expect(
            Self.code { () throws(TrustStoreError) in try TrustStore(contentsOf: missing) }
                == .unreadable(FileError(missing, .system(ENOENT))))
        let empty = try folder.write("empty.pem", "")
        guard
            case .empty(let sources, let issues)? = Self.code({ () throws(TrustStoreError) in
                try TrustStore(contentsOf: empty)
            })
        else {
            Issue.record("an empty file is an empty store")
            return
        }
        #expect(sources == [empty])
        #expect(issues.count == 1)
        let key = try folder.write("key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        #expect(
            Self.code { () throws(TrustStoreError) in try TrustStore(contentsOf: key) }
                == .empty(sources: [key], issues: []))
        let nothing = try folder.folder("nothing")
        #expect(
            Self.code { () throws(TrustStoreError) in try TrustStore(contentsOf: nothing) }
                == .empty(sources: [], issues: []))
        #expect(Self.code { () throws(TrustStoreError) in try TrustStore([]) } == .empty(sources: [], issues: []))
        #expect("\(TrustStoreError(.unreadable(FileError(missing, .system(ENOENT)))))".contains(missing))
        #expect("\(TrustStoreError(.empty(sources: [key], issues: [])))".contains(key))
    }

    @Test("Files and folders are read, in PEM and DER, each certificate once and hidden files not at all")
    func reading() throws {
        let folder = try TemporaryFolder()
        let pem = try folder.write(
            "a.pem", Self.a.pemRepresentation + Self.b.pemRepresentation + Self.a.pemRepresentation)
        let der = try folder.write("b.der", Self.c.derRepresentation)
        _ = try folder.write(".hidden.pem", "junk")
        _ = try folder.folder("sub")
        #expect(try TrustStore(contentsOf: pem).certificates == [Self.a, Self.b])
        #expect(try TrustStore(contentsOf: der).certificates == [Self.c])
        for path in [folder.path, folder.path + "/"] {
            let store = try TrustStore(contentsOf: path)
            #expect(store.certificates == [Self.a, Self.b, Self.c])
            #expect(store.issues.isEmpty)
            #expect(store.sources.count == 2)
        }
    }

    @Test(
        "A certificate that cannot be read is reported with its place, and hides none of the others",
        arguments: [
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAA*A\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n",
            "-----BEGIN CERTIFICATE-----\nAA*A\n",
        ])
    func unreadable(block: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "store.pem", Self.a.pemRepresentation + block + Self.b.pemRepresentation + Self.c.pemRepresentation)
        let store = try TrustStore(contentsOf: path)
        #expect(store.certificates == [Self.a, Self.b, Self.c])
        #expect(store.issues.map(\.position) == [2])
        #expect(store.issues.map(\.path) == [path])
        #expect(store.issues.first?.description.contains("certificate 2") == true)
        let last = try folder.write("last.pem", Self.a.pemRepresentation + block)
        #expect(try TrustStore(contentsOf: last).certificates == [Self.a])
        #expect(try TrustStore(contentsOf: last).issues.count == 1)
    }

    @Test("A file of a folder that cannot be opened is reported and skipped")
    func staleLinks() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("a.pem", Self.a.pemRepresentation)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/stale.pem", withDestinationPath: folder.path + "/gone")
        let store = try TrustStore(contentsOf: folder.path)
        #expect(store.certificates == [Self.a])
        #expect(store.issues.map(\.fault) == [.file(FileError(folder.path + "/stale.pem", .system(ENOENT)))])
    }

    @Test("The system's store is what SSL_CERT_FILE and SSL_CERT_DIR say, and only that")
    func environment() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.pem", Self.a.pemRepresentation)
        let (first, second) = (try folder.folder("first"), try folder.folder("second"))
        _ = try folder.write("first/b.pem", Self.b.pemRepresentation)
        _ = try folder.write("second/c.pem", Self.c.pemRepresentation)
        func certificates(_ environment: [String: String]) throws -> [Certificate] {
            try TrustStore.system(environment: environment).certificates
        }
        #expect(try certificates(["SSL_CERT_FILE": file]) == [Self.a])
        #expect(try certificates(["SSL_CERT_DIR": "\(first):\(second)"]) == [Self.b, Self.c])
        #expect(try certificates(["SSL_CERT_FILE": file, "SSL_CERT_DIR": second]) == [Self.a, Self.c])
        #expect(throws: TrustStoreError.self) { try certificates(["SSL_CERT_FILE": file + ".missing"]) }
        let result = try TrustStore.system(environment: ["SSL_CERT_FILE": file])
        var trust = try Trust(
            certificates: [Self.a], policy: .basicX509, configuration: TrustConfiguration(anchors: .store(result)))
        trust.verifyDate = Date(testTime)
        #expect(trust.evaluate().anchorClass == .system)
    }

    @Test("Android's folders of authorities are found, the newer one first, and a bundle of a distribution before both")
    func android() throws {
        let root = try TemporaryFolder()
        func certificates() throws -> [Certificate] {
            try TrustStore.system(environment: [:], below: root.path).certificates
        }
        #expect(throws: TrustStoreError.self) { try certificates() }
        _ = try root.folder("system/etc/security/cacerts")
        _ = try root.write("system/etc/security/cacerts/00673b5b.0", Self.a.pemRepresentation)
        #expect(try certificates() == [Self.a])
        _ = try root.folder("apex/com.android.conscrypt/cacerts")
        _ = try root.write("apex/com.android.conscrypt/cacerts/04f60c28.0", Self.b.pemRepresentation)
        #expect(try certificates() == [Self.b])
        _ = try root.folder("etc/ssl/certs")
        _ = try root.write("etc/ssl/certs/ca-certificates.crt", Self.c.pemRepresentation)
        #expect(try certificates() == [Self.c])
    }

    @Test("A program with more privileges than its user takes nothing from the environment")
    func elevated() throws {
        #expect(ProcessPrivilege.environment(isElevated: true).isEmpty)
        #expect(ProcessPrivilege.environment(isElevated: false) == ProcessInfo.processInfo.environment)
        #expect(ProcessPrivilege.environment()["PATH"] != nil)
        func isSecure(_ words: [UInt], cut: Int = 0) -> Bool {
            let bytes = words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
            return ProcessPrivilege.isSecure(auxiliaryVector: Array(bytes.dropLast(cut)))
        }
        #expect(isSecure([6, 4_096, 23, 1, 0, 0]))
        #expect(!isSecure([6, 4_096, 23, 0, 0, 0]))
        #expect(!isSecure([23, 0, 7, 23, 1, 1]))
        #expect(!isSecure([23, 1], cut: 1))
        #expect(!isSecure([]))
    }

    @Test("Only regular files of a bounded size are read")
    func boundedFiles() throws {
        let folder = try TemporaryFolder()
        func reason(_ path: String) -> FileError.Reason? {
            do throws(FileError) {
                _ = try BoundedFile.read(path)
                return nil
            } catch {
                #expect(error.path == path)
                return error.reason
            }
        }
        #expect(reason(folder.path) == .isFolder)
        #expect(reason(folder.path + "/missing") == .system(ENOENT))
        #expect(reason("/dev/zero") == .notRegularFile)
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(reason(pipe) == .notRegularFile)
        let large = try folder.write("large", [])
        #expect(truncate(large, off_t(BoundedFile.maximumSize) + 1) == 0)
        #expect(reason(large) == .tooLarge(maximumSize: BoundedFile.maximumSize))
        #expect(try BoundedFile.read(folder.write("small", [1, 2, 3])) == [1, 2, 3])
        #expect(throws: FileError.self) { try BoundedFile.entries(of: folder.path + "/missing") }
        for reason: FileError.Reason in [
            .system(ENOENT), .isFolder, .notRegularFile, .tooLarge(maximumSize: 1), .tooManyEntries(maximum: 1),
        ] {
            #expect("\(FileError("/a", reason))".contains("/a"))
        }
        for (size, text) in [(32 << 20, "32 MiB"), (64 << 10, "64 KiB"), (1_000, "1000 bytes")] {
            #expect("\(FileError("/a", .tooLarge(maximumSize: size)))".contains(text))
        }
        #expect(throws: FileError.self) { try PublicSuffixFile.read(folder.path) }
        #expect(try PublicSuffixFile.read(folder.write("list", "com\nco.uk\n")).isPublicSuffix("co.uk"))
    }
}
