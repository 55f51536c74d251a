//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOSSL
package import TLSWire

extension CipherSuite {
    /// Returns the given suites of TLS 1.2 and older that BoringSSL implements, in its type. BoringSSL lets no caller choose the
    /// suites of TLS 1.3.
    ///
    /// The table is the only source: NIOSSL reads through a null pointer if BoringSSL does not know a number.
    package static func offerable(_ suites: [CipherSuite]) -> [NIOTLSCipher] {
        suites.filter { self.implemented.contains($0.rawValue) }.map { NIOTLSCipher(rawValue: $0.rawValue) }
    }

    /// The suites of BoringSSL's ssl_cipher.cc that this package has a use for. The suites with HMAC over SHA-384, and with static
    /// RSA over SHA-256, are missing because BoringSSL lacks them.
    private static let implemented: Set<UInt16> = [
        0x002F, 0x0035, 0x009C, 0x009D, 0xC009, 0xC00A, 0xC013, 0xC014, 0xC023, 0xC027, 0xC02B, 0xC02C, 0xC02F, 0xC030,
        0xCCA8, 0xCCA9,
    ]
}

extension NamedGroup {
    /// Returns the given groups that BoringSSL implements, in its type. With an unknown group no context can be made.
    package static func offerable(_ groups: [NamedGroup]) -> [NIOTLSCurve] {
        let implemented: Set<NIOTLSCurve> = [.secp256r1, .secp384r1, .secp521r1, .x25519, .x25519_MLKEM768]
        return groups.map { NIOTLSCurve(rawValue: $0.rawValue) }.filter(implemented.contains)
    }
}
