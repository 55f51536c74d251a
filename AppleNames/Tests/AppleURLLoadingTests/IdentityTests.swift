//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleURLLoading
import ServerTrustTesting
import Testing

@Suite("Identities by Apple's names")
struct IdentityTests {
    @Test("Octets that are no PKCS #12 file, and options that are no password, give a status and nothing")
    func wrong() {
        for (octets, options, status) in [
            (Data(), [:], errSecDecode), (Data([0x30, 0]), [kSecImportExportPassphrase: ""], errSecDecode),
            (Data(repeating: 0xFF, count: 1_000), [kSecImportExportPassphrase: "x"], errSecDecode),
            (Data(), [kSecImportExportPassphrase: 1], errSecParam),
        ] as [(Data, CFDictionary, OSStatus)] {
            var items: CFArray? = [1]
            #expect(SecPKCS12Import(octets, options, &items) == status)
            #expect(items == nil)
        }
    }

    @Test(
        "A file that openssl wrote gives the identity with its chain, and another password none",
        .enabled(if: OpenSSL.isThere))
    func openssl() throws {
        let scene = try Scene.shared.get()
        let client = try scene.clients.issue(.client(commonName: "client"))
        let file = try OpenSSL.pkcs12(client, issuer: scene.clients.root, password: "secret")
        var items: CFArray?
        #expect(SecPKCS12Import(file, [kSecImportExportPassphrase: "wrong"], &items) == errSecAuthFailed)
        #expect(SecPKCS12Import(file, [:], &items) == errSecAuthFailed)
        #expect(items == nil)
        #expect(
            SecPKCS12Import(file, [kSecImportExportPassphrase as String: "secret"] as CFDictionary, &items)
                == errSecSuccess)
        let item = try #require((items as? [[String: Any]])?.first)
        let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(certificate.map { Array(SecCertificateCopyData($0)) } == client.der)
        #expect((item[kSecImportItemCertChain] as? [SecCertificate])?.count == 2)
        #expect(item[kSecImportItemTrust] is SecTrust)
        #expect(item[kSecImportItemLabel] as? String == "client")
        let credential = URLCredential(identity: identity, certificates: [], persistence: .forSession)
        #expect(credential.identity == identity)
        #expect(credential.persistence == .forSession)
    }

    @Test("Credentials keep what they were made with, and give it to nothing else")
    func credentials() throws {
        var trust: SecTrust?
        SecTrustCreateWithCertificates(try Scene.shared.get().leaf, nil, &trust)
        let known = try #require(trust)
        #expect(URLCredential(trust: known).identity == nil)
        for _ in 0..<1_000 { _ = URLCredential(trust: known) }
        #expect(URLCredential(user: "u", password: "p", persistence: .none).identity == nil)
        #expect(
            URLProtectionSpace(host: "a", port: 1, protocol: nil, realm: nil, authenticationMethod: nil).serverTrust
                == nil)
    }
}

/// The program, where it is installed.
enum OpenSSL {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    static func pkcs12(_ certificate: TestCertificate, issuer: TestCertificate, password: String) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("identity.pem")
        let texts = [certificate.pem, try certificate.privateKey.pem, issuer.pem]
        try Data(texts.joined(separator: "\n").utf8).write(to: input)
        let output = folder.appendingPathComponent("identity.p12")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "pkcs12", "-export", "-in", input.path, "-out", output.path, "-passout", "pass:\(password)",
        ]
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: output)
    }
}
