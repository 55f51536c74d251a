//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

@testable import CertificatePath

/// PKCS#12 files: work and items are bounded, and nothing comes out of a file whose code does not fit.
///
/// An input is an octet that chooses, a file or the contents of one, and a password.
enum PKCS12Target {
    static let headerCount = 1
    private static let rounds: UInt32 = 4_096

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: self.headerCount)
        let password = String(decoding: input.chunk(1).prefix(64), as: UTF8.self)
        guard input.header[0] & 1 == 0 else {
            return self.authenticate(input.chunk(0), password, &findings)
        }
        let file = self.read(input.chunk(0), password)
        findings.expect(self.read(input.chunk(0), password) == file, "a file is read differently the second time")
        self.rewrite(input.chunk(0), password, expecting: file, &findings)
        guard let file else { return }
        let octets = file.reduce(0) { $0 + $1.der.count + ($1.localKeyID?.count ?? 0) }
        findings.expect(file.count <= 1_000, "more items than allowed")
        findings.expect(octets <= input.chunk(0).count, "more octets than the file has")
    }

    /// The definite form of a file has the same items, as have indefinite lengths with strings in parts. A file that needs each
    /// element that is read has no room for parts.
    private static func rewrite(
        _ octets: [UInt8], _ password: String, expecting file: [PKCS12File.Item]?, _ findings: inout Findings
    ) {
        if let definite = try? BERRewriter.definite(octets) {
            findings.expect(self.read(definite, password) == file, "the definite form is read differently")
            findings.expect((try? BERRewriter.definite(definite)) == definite, "the definite form has another one")
            findings.expect(definite.count <= octets.count + 64, "the definite form is much longer")
        }
        guard octets.count <= 8_192, file != nil, let ber = BER.rewritten(octets) else { return }
        findings.expect(self.read(ber, password) == file, "indefinite lengths are read differently")
    }

    private static func read(_ file: [UInt8], _ password: String) -> [PKCS12File.Item]? {
        let contents = try? PKCS12File(der: file, password: password, maximumRounds: self.rounds)
        return contents.map { $0.keys + $0.certificates }
    }

    /// Contents with a code that fits, without one, and with one that does not.
    private static func authenticate(_ contents: [UInt8], _ password: String, _ findings: inout Findings) {
        let plain = self.read(self.file(contents, code: nil), password)
        let code = self.code(of: contents, password)
        let fitting = self.read(self.file(contents, code: code), password)
        findings.expect(fitting == plain || password.isEmpty, "a code that fits changes what is read")
        let damaged = [code[0] ^ 1] + code.dropFirst()
        findings.expect(self.read(self.file(contents, code: damaged), password) == nil, "a wrong code is accepted")
        findings.expect(
            self.read(self.file(contents, code: code), password + "x") == nil, "another password is accepted")
    }

    private static func file(_ contents: [UInt8], code: [UInt8]?) -> [UInt8] {
        let safe = DER.sequence(
            DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, DER.octetString(contents)))
        guard let code else { return DER.sequence(DER.integer(3), safe) }
        let digest = DER.sequence(DER.oid("2.16.840.1.101.3.4.2.1"), DER.element(0x05, []))
        let information = DER.sequence(digest, DER.octetString(code))
        return DER.sequence(DER.integer(3), safe, DER.sequence(information, DER.octetString([1]), DER.integer(1)))
    }

    /// RFC 7292 appendix B with one iteration and a salt of one octet, where a single output is enough.
    private static func code(of contents: [UInt8], _ password: String) -> [UInt8] {
        let text = password.utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] } + [0, 0]
        let blocks = (text.count + 63) / 64
        let filled = (0..<64 * blocks).map { text[$0 % text.count] }
        let input = [UInt8](repeating: 3, count: 64) + [UInt8](repeating: 1, count: 64) + filled
        let key = SymmetricKey(data: Array(SHA256.hash(data: input)))
        return Array(HMAC<SHA256>.authenticationCode(for: contents, using: key))
    }

    // MARK: - Seeds

    static func seeds() -> [[UInt8]] {
        let key = DER.sequence(DER.integer(0), DER.sequence(DER.oid("1.3.101.112")), DER.octetString([1, 2, 3]))
        let keyBag = self.bag("1", key)
        let certificate = self.bag(
            "3", DER.sequence(DER.oid("1.2.840.113549.1.9.22.1"), DER.element(0xA0, DER.octetString([1]))))
        let nested = self.bag("6", DER.sequence(keyBag, certificate))
        let contents =
            [keyBag, keyBag + certificate, nested, []].map(self.data)
            + self.algorithms.flatMap { [self.data(self.shrouded($0)), self.encrypted($0)] }
        return contents.flatMap { contents in
            [
                FuzzInput(header: [1], chunks: [DER.sequence(contents), Array("secret".utf8)]),
                FuzzInput(header: [0], chunks: [self.file(DER.sequence(contents), code: nil), []]),
            ].map(\.encoded) + self.basicEncodings(of: contents)
        }
    }

    /// The layers of a file with indefinite lengths and strings in parts, all of them and the inner one alone.
    private static func basicEncodings(of contents: [UInt8]) -> [[UInt8]] {
        guard let safe = BER.rewritten(DER.sequence(contents)), let file = BER.rewritten(self.file(safe, code: nil))
        else {
            return []
        }
        return [
            FuzzInput(header: [1], chunks: [safe, Array("secret".utf8)]).encoded,
            FuzzInput(header: [0], chunks: [file, []]).encoded,
        ]
    }

    /// DES three times, RC2, and PBES2 with AES.
    private static var algorithms: [[UInt8]] {
        let parameters = DER.sequence(DER.octetString([1, 2, 3, 4]), DER.integer(2))
        let derivation = DER.sequence(
            DER.oid("1.2.840.113549.1.5.12"),
            DER.sequence(
                DER.octetString([1]), DER.integer(2), DER.integer(32),
                DER.sequence(DER.oid("1.2.840.113549.2.9"), DER.element(0x05, []))))
        let cipher = DER.sequence(
            DER.oid("2.16.840.1.101.3.4.1.42"), DER.octetString([UInt8](repeating: 7, count: 16)))
        return ["3", "4", "5", "6"].map { DER.sequence(DER.oid("1.2.840.113549.1.12.1.\($0)"), parameters) }
            + [DER.sequence(DER.oid("1.2.840.113549.1.5.13"), DER.sequence(derivation, cipher))]
    }

    private static func bag(_ kind: String, _ value: [UInt8]) -> [UInt8] {
        let identifier = DER.sequence(DER.oid("1.2.840.113549.1.9.21"), DER.set(DER.octetString([9])))
        return DER.sequence(
            DER.oid("1.2.840.113549.1.12.10.1.\(kind)"), DER.element(0xA0, value), DER.set(identifier))
    }

    private static func shrouded(_ algorithm: [UInt8]) -> [UInt8] {
        self.bag("2", DER.sequence(algorithm, DER.octetString([UInt8](repeating: 5, count: 32))))
    }

    private static func data(_ bags: [UInt8]) -> [UInt8] {
        let contents = DER.octetString(DER.element(0x30, bags))
        return DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, contents))
    }

    private static func encrypted(_ algorithm: [UInt8]) -> [UInt8] {
        let contents = DER.element(0x80, [UInt8](repeating: 5, count: 32))
        let information = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), algorithm, contents)
        return DER.sequence(
            DER.oid("1.2.840.113549.1.7.6"), DER.element(0xA0, DER.sequence(DER.integer(0), information)))
    }
}
