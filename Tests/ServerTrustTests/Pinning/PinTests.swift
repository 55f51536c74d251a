//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import ServerTrust

private let digest = Array(UInt8(0)..<32)
private let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
private let hexadecimal = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
private let colons = "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F"

private let invalidPins: [(text: String, code: PinError.Code)] = [
    ("", .empty), ("   ", .empty), ("sha256/", .empty), ("sha256//", .empty), ("nonsense", .wrongLength(octets: 6)),
    ("sha256/" + base64.dropLast(), .missingPadding), ("sha256/" + base64.dropFirst(4), .wrongLength(octets: 29)),
    ("sha256/" + base64 + "AAAA", .notADigest), ("sha256/AAAA" + base64, .wrongLength(octets: 35)),
    ("sha256/" + base64.replacingOccurrences(of: "A", with: "_"), .urlSafeBase64),
    ("sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", .notADigest),
    ("sha256/AAEC AwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", .notADigest),
    ("sha1/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=", .weakDigest("sha1")), ("SHA1/AAAA", .weakDigest("sha1")),
    ("sha512/AAAA", .unknownDigest("sha512")), (String(hexadecimal.dropLast(2)), .notADigest),
    (hexadecimal + "00", .notADigest), (colons + ":00", .wrongLength(octets: 33)),
    (String(repeating: "A", count: 100_000), .notADigest), ("sha256/\u{0}", .empty), ("pin-sha256=", .notADigest),
]

@Suite struct PinTests {
    @Test(arguments: invalidPins.indices)
    func `Text that is no pin is refused, with what to write instead`(index: Int) {
        let (text, code) = invalidPins[index]
        #expect {
            try Pin(text)
        } throws: { error in
            guard let error = error as? PinError else { return false }
            #expect(error.code == code, "\(text.prefix(60))")
            return "\(error)".utf8.count < 1_000 && error.text.utf8.count < 600
        }
    }

    @Test(arguments: [
        "sha256/" + base64, "sha256//" + base64, base64, hexadecimal, hexadecimal.uppercased(), "sha256/" + hexadecimal,
        colons, colons.lowercased(), "SHA256/" + base64, "pin-sha256=\"\(base64)\"", "  sha256/\(base64)\n",
    ])
    func `All the ways people write a pin mean the same`(text: String) throws {
        let pin = try Pin(text)
        #expect(pin.digest == digest && pin.kind == .publicKey)
        #expect(pin.description == "sha256/" + base64)
        #expect(try Pin(pin.description) == pin)
    }

    @Test func `A digest whose Base64 begins with a slash is told from curl's second slash`() throws {
        for first in [UInt8(0xFC), 0xFD, 0xFE, 0xFF] {
            for second in stride(from: UInt8(0), through: 240, by: 15) {
                let pin = try Pin(digest: [first, second] + digest.dropFirst(2))
                #expect(pin.base64.hasPrefix("/"))
                for text in ["sha256/\(pin.base64)", "sha256//\(pin.base64)", pin.base64] {
                    #expect(try Pin(text) == pin)
                }
            }
        }
    }

    @Test func `Whole certificates are pinned by their own word`() throws {
        let pin = try Pin("certificate-sha256/" + base64)
        #expect(pin.kind == .certificate && pin.digest == digest)
        #expect(try Pin(pin.description) == pin)
        #expect(try pin != Pin(base64))
        let certificate = TestCertificates.root
        #expect(Pin(certificate: certificate).digest == certificate.sha256Fingerprint)
        #expect(Pin(keyOf: certificate).base64 == certificate.publicKey.pin)
    }

    @Test func `Lists have semicolons between pins, as curl has them`() throws {
        #expect(try Pin.pins(inList: "sha256//\(base64);sha256//\(base64)").count == 2)
        #expect(throws: PinError.self) { try Pin.pins(inList: "sha256//\(base64);") }
        #expect(throws: PinError.self) { try Pin.pins(inList: "") }
    }

    @Test func `Pins made of one octet stand for pins to come`() throws {
        #expect(try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").isPlaceholder)
        #expect(try Pin(digest: Array(repeating: 0xFF, count: 32)).isPlaceholder)
        #expect(try Pin("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=").isPlaceholder)
        for character in "BCXxz09+/" {
            let text = String(repeating: character, count: 43) + "="
            for decoder in [PinDecoder.foundation, .android, .okio] {
                #expect(try #require(decoder.pin(inBase64: text)).isPlaceholder)
            }
        }
        #expect(try Pin("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=").isPlaceholder)
        #expect(try !Pin("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBE=").isPlaceholder)
        #expect(try !Pin("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBCA=").isPlaceholder)
        #expect(try !Pin(base64).isPlaceholder)
        #expect(throws: PinError(.wrongLength(octets: 20), text: "")) {
            try Pin(digest: Array(repeating: 0, count: 20))
        }
    }

    @Test func `Each decoder of the field takes what it takes there, and nothing else`() throws {
        let pin = try Pin(digest: digest)
        let slashes = try Pin(digest: [0xFF, 0xFB, 0xFE] + digest.dropFirst(3))
        let urlSafe = slashes.base64.replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "+", with: "-")
        let unused = base64.replacingOccurrences(of: "8=", with: "9=")
        let spaced = "\n  " + base64.prefix(20) + "\n\t" + base64.dropFirst(20) + " "
        let unpadded = String(base64.dropLast())
        for (decoder, taken) in [
            (PinDecoder.foundation, [base64, unused]), (.android, [base64, unused, spaced, unpadded]),
            (.okio, [base64, unused, spaced, unpadded]),
        ] {
            for text in [base64, unused, spaced, unpadded] {
                #expect(decoder.pin(inBase64: text) == (taken.contains(text) ? pin : nil), "\(decoder) \(text)")
            }
            #expect(decoder.pin(inBase64: urlSafe) == (decoder == .okio ? slashes : nil))
            for text in [
                "", "=", base64 + "=", base64 + "A", unpadded + "A", String(base64.dropFirst()), hexadecimal,
                "A" + unused,
                "sha256/" + base64, base64.replacingOccurrences(of: "A", with: "*"),
                String(repeating: " ", count: 300) + base64,
            ] {
                #expect(decoder.pin(inBase64: text) == nil, "\(decoder) \(text)")
            }
        }
    }

    @Test func `Pins are coded as text`() throws {
        let pin = try Pin(base64)
        #expect(try JSONDecoder().decode([Pin].self, from: JSONEncoder().encode([pin])) == [pin])
        #expect(throws: (any Error).self) { try JSONDecoder().decode([Pin].self, from: Data(#"["sha1/AAAA"]"#.utf8)) }
    }

    @Test func `A key by itself is the key of its certificate`() throws {
        let key = TestCertificates.root.publicKey
        let read = try PublicKey(der: key.subjectPublicKeyInfo)
        #expect(read == key && read.hashValue == key.hashValue && read.pin == key.pin && read.kind == .p256)
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(Data(key.subjectPublicKeyInfo).base64EncodedString())\n-----END PUBLIC KEY-----\n"
        #expect(try PublicKey(pem: "text before\n" + pem) == key)
        #expect(try Pin(PublicKey(pem: pem)) == Pin(keyOf: TestCertificates.root))
        #expect(throws: PublicKeyError(.noPublicKey)) { try PublicKey(pem: TestCertificates.root.pemRepresentation) }
        #expect(throws: PublicKeyError(.pem(PEMError(line: 1, .missingEnd)))) {
            try PublicKey(pem: String(pem.dropLast(30)))
        }
        for bytes in [[], [0x30], TestCertificates.root.derRepresentation, key.subjectPublicKeyInfo + [0]] {
            #expect(throws: PublicKeyError.self) { try PublicKey(der: bytes) }
        }
    }
}
