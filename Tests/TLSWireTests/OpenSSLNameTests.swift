//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TLSWire
import TestSupport
import Testing

private let names: [(UInt16, String?)] = [
    (0x0000, nil), (0x0003, "EXP-RC4-MD5"), (0x0014, "EXP-EDH-RSA-DES-CBC-SHA"), (0x0015, "EDH-RSA-DES-CBC-SHA"),
    (0x0016, "DHE-RSA-DES-CBC3-SHA"), (0x0019, "EXP-ADH-DES-CBC-SHA"), (0x001E, nil), (0x000A, "DES-CBC3-SHA"),
    (0x0061, "EXP1024-RC2-CBC-MD5"), (0x0063, "EXP1024-DHE-DSS-DES-CBC-SHA"), (0x0066, "DHE-DSS-RC4-SHA"),
    (0x008A, "PSK-RC4-SHA"), (0x0093, "RSA-PSK-3DES-EDE-CBC-SHA"), (0x0096, "SEED-SHA"), (0x0007, "IDEA-CBC-SHA"),
    (0x00C6, nil), (0x1304, "TLS_AES_128_CCM_SHA256"), (0x1306, nil), (0xC002, "ECDH-ECDSA-RC4-SHA"),
    (0xC012, "ECDHE-RSA-DES-CBC3-SHA"), (0xC01A, "SRP-3DES-EDE-CBC-SHA"), (0xC030, "ECDHE-RSA-AES256-GCM-SHA384"),
    (0xC044, nil), (0xC05A, nil), (0xC07C, nil), (0xC0B0, nil), (0xD001, nil), (0xCC13, nil),
    (0xCCA8, "ECDHE-RSA-CHACHA20-POLY1305"), (0x0081, "GOST2001-GOST89-GOST89"), (0xFEFE, nil),
]

@Suite("What OpenSSL calls a cipher suite")
struct OpenSSLNameTests {
    @Test("Known names, and none for what OpenSSL never had", arguments: names)
    func table(number: UInt16, name: String?) {
        #expect(CipherSuite(rawValue: number).openSSLName == name)
    }

    @Test("No name is that of two suites")
    func distinct() {
        let names = CipherSuite.known.compactMap(\.openSSLName)
        #expect(Set(names).count == names.count)
    }

    @Test("The OpenSSL of this machine says the same, and the same first version")
    func agreement() async throws {
        guard let listing = try await Self.listing() else { return }
        let lines = listing.split(separator: "\n").map { $0.split(separator: " ") }
        for line in lines where line.count > 3 {
            let digits = line[0].replacing("0x", with: "").replacing(",", with: "")
            let suite = CipherSuite(rawValue: try #require(UInt16(digits, radix: 16)))
            #expect(suite.openSSLName == String(line[2]))
            #expect(suite.earliestVersion == Self.versions[String(line[3])], "\(suite)")
        }
    }

    private static let versions: [String: TLSProtocolVersion] = [
        // "TLSv1" and "TLSv1.0" are both to be met.
        "SSLv3": .ssl30, "TLSv1": .tls10, "TLSv1.0": .tls10, "TLSv1.2": .tls12, "TLSv1.3": .tls13,
    ]

    private static func listing() async throws -> String? {
        guard let path = OpenSSLServer.path else { return nil }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ciphers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        var program = TestProcess.Settings(path, ["ciphers", "-V", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"])
        program.output = file.path
        guard await (try TestProcess(program)).ending() == .exit(0) else { return nil }
        return try String(contentsOf: file, encoding: .utf8)
    }
}
