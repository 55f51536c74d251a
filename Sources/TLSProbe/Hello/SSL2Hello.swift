//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The hello of SSL 2.0, which has a form of its own (Hickman, The SSL Protocol, 1995, §2.5). RFC 6176 forbids it.
enum SSL2Hello {
    static let encoded: [UInt8] = {
        let ciphers: [UInt8] = [
            0x07, 0x00, 0xC0, 0x05, 0x00, 0x80, 0x03, 0x00, 0x80, 0x01, 0x00, 0x80, 0x06, 0x00, 0x40, 0x04, 0x00, 0x80,
            0x02, 0x00, 0x80,
        ]
        var message = OctetWriter()
        message.write(UInt8(1))
        message.write(UInt16(0x0002))
        message.write(UInt16(ciphers.count))
        message.write(UInt16(0))
        message.write(UInt16(16))
        message.write(ciphers)
        message.write(UInt8(0x5A)...UInt8(0x69))
        var record = OctetWriter()
        record.write(UInt16(message.bytes.count) | 0x8000)
        record.write(message.bytes)
        return record.bytes
    }()

    /// Reads an alert of TLS, or returns `nil` for any other bytes.
    static func alert(in bytes: [UInt8]) -> TLSAlertDescription? {
        guard bytes.count >= 7, bytes[0] == 21, bytes[1] == 3, bytes[3] == 0, bytes[4] == 2 else { return nil }
        return TLSAlertDescription(rawValue: bytes[6])
    }

    /// Returns `true` if bytes begin a SERVER-HELLO of version 2 with a certificate and common ciphers.
    static func isAnswered(by bytes: [UInt8]) -> Bool {
        guard bytes.count >= 13, bytes[0] & 0x80 != 0, bytes[2] == 4 else { return false }
        let (version, ciphers) = (bytes[5...6], bytes[9...10])
        return version.elementsEqual([0, 2]) && ciphers.contains { $0 != 0 }
    }
}
