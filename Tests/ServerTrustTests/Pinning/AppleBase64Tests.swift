//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrust

@Suite("Base64 as Apple's engine decodes it")
struct AppleBase64Tests {
    @Test(
        "A = is a digit of the value 0, and shortens the last group alone",
        arguments: [
            ("", []), ("AAA", []), ("=", []), ("==", []), ("===", []), ("QUI", []),
            ("QQ==", [0x41]), ("QUI=", [0x41, 0x42]), ("QUJD", [0x41, 0x42, 0x43]),
            // Three or four of them leave three octets.
            ("Q===", [0x40, 0, 0]), ("A===", [0, 0, 0]), ("====", [0, 0, 0]),
            // One in front of a letter is an A, and reading goes on.
            ("Q=JD", [0x40, 0x02, 0x43]), ("=UJD", [0x01, 0x42, 0x43]),
            ("QQ=DQUJD", [0x41, 0x00, 0x03, 0x41, 0x42, 0x43]),
            ("AA=A=", [0, 0, 0]), ("Q=I=", [0x40, 0x02]),
            // Other characters are passed over, and an incomplete last group is dropped.
            (" Q-U_I\n= ", [0x41, 0x42]), ("QUJDQU", [0x41, 0x42, 0x43]), ("*é", []),
        ] as [(String, [UInt8])])
    func digits(text: String, octets: [UInt8]) {
        let decoded = AppleBase64(text)
        #expect(decoded.octets == octets && !decoded.hasMore)
    }

    @Test(
        "What ends with padding is the end, and more is told of",
        arguments: [
            ("QQ==QUJD", [0x41]), ("QUI=Q", [0x41, 0x42]), ("QUI= =", [0x41, 0x42]), ("Q===A", [0x40, 0, 0]),
        ]
            as [(String, [UInt8])])
    func end(text: String, octets: [UInt8]) {
        let decoded = AppleBase64(text)
        #expect(decoded.octets == octets && decoded.hasMore)
        #expect(!AppleBase64("QQ==\n - ").hasMore)
    }

    @Test("A pin is a pin with white space, foreign characters, and a = in place of an A")
    func pins() throws {
        let pin = try Pin("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")
        for text in [pin.base64, "\n  \(pin.base64)\n", "r/mI-kG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=\(pin.base64)"] {
            #expect(PinDecoder.apple.pin(inBase64: text) == pin)
        }
        let zeros = String(repeating: "A", count: 42)
        #expect(
            PinDecoder.apple.pin(inBase64: "=" + zeros.dropFirst() + "E=")
                == PinDecoder.apple.pin(inBase64: zeros + "E="))
        for text in ["", String(pin.base64.dropLast()), "sha256/" + pin.base64, pin.base64.replacing("+", with: "-")] {
            #expect(PinDecoder.apple.pin(inBase64: text) == nil)
        }
    }
}
