//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

/// One digest in 64 begins with a slash in Base64, which looks like the second one that curl writes.
private let slashed = "/" + String(repeating: "A", count: 42) + "="

@Suite struct PinTextTests {
    @Test(arguments: ["sha256//", "sha256///", "sha256//" + String(slashed.dropFirst().dropLast()), "sha1//" + slashed])
    func `A slash alone makes no digest`(text: String) {
        #expect(throws: PinError.self) { try Pin(text) }
    }

    @Test(arguments: [slashed, "sha256/" + slashed, "sha256//" + slashed])
    func `A digest that begins with a slash keeps it in every dialect`(text: String) throws {
        #expect(try Pin(text).base64 == slashed)
        #expect(try Pin(Pin(text).description) == Pin(text))
    }
}
