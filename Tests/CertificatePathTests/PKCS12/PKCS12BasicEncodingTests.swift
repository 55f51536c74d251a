//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import TestSupport
import Testing

@testable import CertificatePath

@Suite("PKCS#12 files in BER")
struct PKCS12BasicEncodingTests {
    @Test("BER that breaks its rules in any layer is refused", arguments: faults)
    func fault(fault: BasicEncodingFault) {
        #expect(throws: PKCS12Error.malformed(DERError(fault.code, at: fault.offset))) {
            try PKCS12File(der: fault.file, password: nil)
        }
    }

    @Test("A file with indefinite lengths and strings in parts has the items of its DER", arguments: contents)
    func items(contents: [UInt8]) throws {
        let data = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, DER.octetString(contents)))
        let plain = try PKCS12File(der: PFX.file(data), password: nil)
        #expect(!plain.keys.isEmpty && !plain.certificates.isEmpty)
        let file = try PKCS12File(der: BasicEncoding.file(contents), password: nil)
        #expect(file.keys == plain.keys && file.certificates == plain.certificates)
    }

    @Test("Cut off anywhere, a file in BER gives nothing")
    func cut() throws {
        let file = try BasicEncoding.file(contents[0])
        for count in file.indices {
            #expect(throws: PKCS12Error.self) { try PKCS12File(der: Array(file.prefix(count)), password: nil) }
        }
    }

    @Test("A certificate inside keeps its octets, also where they are no DER")
    func certificate() throws {
        let ber = try #require(BER.rewritten(try testRoot.leaf().bytes))
        let contents = DER.sequence(PFX.certificate(ber), PFX.certificate([0x30, 0x81, 0x01, 0xFF]))
        let file = try PKCS12File(der: BasicEncoding.file(contents), password: nil)
        #expect(file.certificates.map(\.der) == [ber, [0x30, 0x81, 0x01, 0xFF]])
    }

    @Test("The code is made of the octets of the safe as they are, and its parts are joined for it")
    func code() throws {
        let safe = try BasicEncoding.safe(contents[0])
        let file = try BasicEncoding.file(safe: safe, macData: PFX.mac(of: safe, password: "right"))
        #expect(try PKCS12File(der: file, password: "right").keys.count == 1)
        #expect(throws: PKCS12Error.wrongPassword) { try PKCS12File(der: file, password: "wrong") }
        let rewritten = try BERRewriter.definite(safe)
        #expect(rewritten != safe)
        let other = try BasicEncoding.file(safe: safe, macData: PFX.mac(of: rewritten, password: "right"))
        #expect(throws: PKCS12Error.wrongPassword) { try PKCS12File(der: other, password: "right") }
    }

    @Test("Encrypted contents come in one part or in many, and are BER in their turn")
    func encrypted() throws {
        let plain = try #require(BER.rewritten(contents[0]))
        let octets = try PFX.encrypted(plain, password: "right")
        let parts = [Array(octets.prefix(7)), [], Array(octets.dropFirst(7))].map(DER.octetString)
        let joined = Array(parts.joined())
        let nested = BER.octetString(Array(octets.prefix(1)), Array(octets.dropFirst()))
        for string in [
            DER.element(0x80, octets), DER.element(0xA0, joined), BER.indefinite(0xA0, joined),
            BER.indefinite(0xA0, nested),
        ] {
            let file = PFX.file(PFX.encryptedData(string))
            #expect(try PKCS12File(der: file, password: "right").keys.count == 1)
            #expect(throws: PKCS12Error.wrongPassword) { try PKCS12File(der: file, password: "wrong") }
        }
        for (string, code) in [
            (DER.element(0xA0, octets), nil), (BER.indefinite(0xA0, DER.sequence()), .unexpectedTag),
            (BER.indefinite(0xA0, DER.utf8("x")), .unexpectedTag), (BER.indefinite(0x80, octets), .indefiniteLength),
        ] as [([UInt8], DERError.Code?)] {
            let error = #expect(throws: PKCS12Error.self) {
                try PKCS12File(der: PFX.file(PFX.encryptedData(string)), password: "right")
            }
            #expect(code == nil || error?.encodingFault == code)
        }
    }

    @Test("A key in BER is read as its DER, encrypted and in the clear")
    func keyInBER() throws {
        let ber = try #require(BER.rewritten(key))
        #expect(ber != key)
        let octets = try PFX.encrypted(ber, password: "right")
        let shrouded = PFX.bag(2, DER.sequence(PFX.pbes2(), DER.octetString(octets)))
        for (bag, password) in [(shrouded, "right"), (PFX.bag(1, ber), nil)] {
            #expect(try PKCS12File(der: PFX.file(PFX.data([bag])), password: password).keys.map(\.der) == [key])
        }
    }

    @Test("Decrypted octets that are no sequence, or no whole one, are those of a wrong password")
    func decrypted() throws {
        let plain = try #require(BER.rewritten(contents[0]))
        for octets in [[], [0x04, 0x00], plain.dropLast(1), plain + [0], [0x30, 0x80]] as [[UInt8]] {
            let string = DER.element(0x80, try PFX.encrypted(octets, password: "right"))
            #expect(throws: PKCS12Error.wrongPassword) {
                try PKCS12File(der: PFX.file(PFX.encryptedData(string)), password: "right")
            }
        }
        let deep = DER.sequence(PFX.bag(4, BER.indefinite(0x04, [1])))
        let string = DER.element(0x80, try PFX.encrypted(deep, password: "right"))
        let error = #expect(throws: PKCS12Error.self) {
            try PKCS12File(der: PFX.file(PFX.encryptedData(string)), password: "right")
        }
        #expect(error?.encodingFault == .indefiniteLength)
    }
}

/// Writes files in BER.
enum BasicEncoding {
    /// A file with one SafeContents, each of its layers in BER.
    static func file(_ contents: [UInt8]) throws -> [UInt8] {
        try self.file(safe: self.safe(contents))
    }

    static func safe(_ contents: [UInt8]) throws -> [UInt8] {
        let contents = DER.octetString(try #require(BER.rewritten(contents)))
        let data = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, contents))
        return try #require(BER.rewritten(DER.sequence(data)))
    }

    static func file(safe: [UInt8], macData: [UInt8] = []) throws -> [UInt8] {
        try #require(BER.rewritten(PFX.file(safe: safe, macData: macData)))
    }
}

struct BasicEncodingFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: [UInt8]
    let code: DERError.Code
    let offset: Int

    init(_ name: String, _ file: [UInt8], _ code: DERError.Code, at offset: Int) {
        self.testDescription = name
        self.file = file
        self.code = code
        self.offset = offset
    }
}

private let key = DER.sequence(DER.integer(0), DER.sequence(DER.oid("1.3.101.112")), DER.octetString([1, 2, 3, 4]))
private let contents: [[UInt8]] = [
    DER.sequence(PFX.bag(1, key), PFX.certificate([1, 2, 3])),
    DER.sequence(PFX.bag(1, key, localKeyID: [7, 8]), PFX.certificate([]), PFX.certificate([1, 2, 3])),
    DER.sequence(PFX.bag(6, DER.sequence(PFX.bag(1, key), PFX.bag(5, DER.sequence()), PFX.certificate([1])))),
]

private let version = DER.integer(3)
private let emptyData = DER.sequence(
    DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, DER.octetString(DER.sequence())))
private let faults: [BasicEncodingFault] = [
    .init("no end-of-contents", [0x30, 0x80] + version + emptyData, .truncated, at: 5 + emptyData.count),
    .init(
        "octets behind the end", BER.indefinite(0x30, version, emptyData) + [0], .trailingBytes, at: 7 + emptyData.count
    ),
    .init(
        "an end-of-contents in a definite file", DER.sequence(version, emptyData, [0, 0]), .unexpectedTag,
        at: 5 + emptyData.count),
    .init(
        "a version of indefinite length", BER.indefinite(0x30, BER.indefinite(0x02, [3]), emptyData), .indefiniteLength,
        at: 2),
    .init("a safe with octets behind it", PFX.file(safe: BER.indefinite(0x30) + [0]), .trailingBytes, at: 4),
    .init("a safe without an end", PFX.file(safe: [0x30, 0x80]), .truncated, at: 2),
    .init("a safe that is no sequence", PFX.file(safe: BER.indefinite(0x31)), .unexpectedTag, at: 0),
    .init("an empty safe", PFX.file(safe: []), .truncated, at: 0),
    .init(
        "a string among the parts of another type", PFX.file(string: BER.indefinite(0x24, [0x0C, 0x00])),
        .unexpectedTag, at: 22),
    .init(
        "thousands of empty parts",
        PFX.file(string: DER.element(0x24, Array([[UInt8]](repeating: [0x04, 0x00], count: 20_000).joined()))),
        .tooManyElements, at: 32_786),
    .init(
        "a safe as deep as it is long",
        PFX.file(safe: Array([[UInt8]](repeating: [0x30, 0x80], count: 10_000).joined())), .tooManyElements, at: 128),
    .init(
        "contents with octets behind them", PFX.file(PFX.data(octets: BER.indefinite(0x30) + [0, 0])), .trailingBytes,
        at: 4),
    .init(
        "a bag with a tag of two octets", PFX.file(PFX.data(octets: BER.indefinite(0x30, [0x3F, 0x1F, 0x00]))),
        .highTagNumber, at: 2),
]

extension PFX {
    static func file(safe: [UInt8], macData: [UInt8] = []) -> [UInt8] {
        self.file(string: DER.octetString(safe), macData: macData)
    }

    /// A file with an encoded OCTET STRING in the place of the one that holds the safe.
    static func file(string: [UInt8], macData: [UInt8] = []) -> [UInt8] {
        let information = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, string))
        return DER.sequence(DER.integer(3), information, macData)
    }

    static func data(octets: [UInt8]) -> [UInt8] {
        DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, DER.octetString(octets)))
    }

    /// MacData with SHA-256, a salt of one octet and one iteration.
    static func mac(of safe: [UInt8], password: String) throws -> [UInt8] {
        let password = try #require(try PKCS12Password.candidates(password).first)
        let sha256 = "2.16.840.1.101.3.4.2.1"
        let digest = try #require(OID(sha256).flatMap { DerivationDigest(named: PackedOID($0.contents)) })
        let key = digest.derive(.authentication, from: password.bmpString, salt: [1], iterations: 1, count: 32)
        let code = Array(HMAC<SHA256>.authenticationCode(for: safe, using: SymmetricKey(data: key)))
        let information = DER.sequence(DER.sequence(DER.oid(sha256), DER.element(0x05, [])), DER.octetString(code))
        return DER.sequence(information, DER.octetString([1]), DER.integer(1))
    }

    private static let vector = [UInt8](repeating: 7, count: 16)

    /// Octets under PBES2 with AES of 128 bits, and HMAC with SHA-1.
    static func encrypted(_ octets: [UInt8], password: String) throws -> [UInt8] {
        let key = try DerivationDigest.sha1.pbkdf2(Array(password.utf8), [1], iterations: 1, count: 16)
        let vector = try AES._CBC.IV(ivBytes: Self.vector)
        return Array(try AES._CBC.encrypt(octets, using: SymmetricKey(data: key), iv: vector))
    }

    /// EncryptedData with the string of its contents, and the algorithm of ``encrypted(_:password:)``.
    static func encryptedData(_ string: [UInt8], algorithm: [UInt8] = pbes2()) -> [UInt8] {
        let information = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), algorithm, string)
        return DER.sequence(
            DER.oid("1.2.840.113549.1.7.6"), DER.element(0xA0, DER.sequence(DER.integer(0), information)))
    }

    /// PBES2; an HMAC of `nil` is the one by default, with SHA-1.
    static func pbes2(
        derivation: String = "1.2.840.113549.1.5.12", hmac: String? = nil, cipher: String = "2.16.840.1.101.3.4.1.2"
    ) -> [UInt8] {
        let function = hmac.map { DER.sequence(DER.oid($0), DER.element(0x05, [])) } ?? []
        let parameters = DER.sequence(DER.octetString([1]), DER.integer(1), function)
        return DER.sequence(
            DER.oid("1.2.840.113549.1.5.13"),
            DER.sequence(
                DER.sequence(DER.oid(derivation), parameters),
                DER.sequence(DER.oid(cipher), DER.octetString(Self.vector))))
    }
}

extension PKCS12Error {
    fileprivate var encodingFault: DERError.Code? {
        guard case .malformed(let error) = self else { return nil }
        return error.code
    }
}
