//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOSSL
package import TLSWire

extension CipherSuite {
    /// The suites of TLS 1.2 and older among some that BoringSSL has, as it takes them; those of TLS 1.3 it does not let
    /// anyone choose.
    ///
    /// From a table and nothing else: NIOSSL reads through a null pointer when BoringSSL does not know a number.
    package static func offerable(_ suites: [CipherSuite]) -> [NIOTLSCipher] {
        suites.filter { self.implemented.contains($0.rawValue) }.map { NIOTLSCipher(rawValue: $0.rawValue) }
    }

    /// Those of ssl_cipher.cc that this package has a use for: not those with HMAC over SHA-384, and of static RSA not
    /// those over SHA-256, which BoringSSL lacks.
    private static let implemented: Set<UInt16> = [
        0x002F, 0x0035, 0x009C, 0x009D, 0xC009, 0xC00A, 0xC013, 0xC014, 0xC023, 0xC027, 0xC02B, 0xC02C, 0xC02F, 0xC030,
        0xCCA8, 0xCCA9,
    ]
}

extension NamedGroup {
    /// The groups among some that BoringSSL has, as it takes them. An unknown one makes a context impossible.
    package static func offerable(_ groups: [NamedGroup]) -> [NIOTLSCurve] {
        let implemented: Set<NIOTLSCurve> = [.secp256r1, .secp384r1, .secp521r1, .x25519, .x25519_MLKEM768]
        return groups.map { NIOTLSCurve(rawValue: $0.rawValue) }.filter(implemented.contains)
    }
}
