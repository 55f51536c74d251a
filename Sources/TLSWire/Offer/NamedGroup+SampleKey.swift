//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension NamedGroup {
    /// A public key that looks like an honest one, for hellos that never lead to a complete handshake.
    ///
    /// It is the base point of a curve. For ML-KEM it is the key with all coefficients zero, which passes the check of FIPS 203
    /// (§7.2). It is `nil` for groups without such a key.
    package var sampleKey: [UInt8]? {
        switch self.rawValue {
        case 0x0017: Self.p256
        case 0x0018: Self.p384
        case 0x0019: Self.p521
        // RFC 7748 §4.1 and §4.2: the coordinates 9 and 5.
        case 0x001D: Self.samplePoint
        case 0x001E: [5] + [UInt8](repeating: 0, count: 55)
        case 0x0201: Self.sampleMLKEM768
        // RFC 10024: the two hybrids order their parts differently.
        case 0x11EB: Self.p256 + Self.sampleMLKEM768
        case 0x11EC: Self.sampleMLKEM768 + Self.samplePoint
        default: nil
        }
    }

    private static let samplePoint = [9] + [UInt8](repeating: 0, count: 31)
    private static let sampleMLKEM768 = [UInt8](repeating: 0, count: 1184)

    /// SEC 2 §2.4.2, uncompressed, like the two below.
    private static let p256 = octets(
        "046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C2964FE342E2FE1A7F9B8EE7EB4A7C0F9E16"
            + "2BCE33576B315ECECBB6406837BF51F5")
    private static let p384 = octets(
        "04AA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7"
            + "3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F")
    private static let p521 = octets(
        "0400C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FF"
            + "A8DE3348B3C1856A429BF97E7E31C2E5BD66011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD1727"
            + "3E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650")

    private static func octets(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.map { $0 < 0x41 ? $0 - 0x30 : $0 - 0x37 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
