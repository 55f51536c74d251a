//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 5480 appendix A).
///
/// The cryptographic library reads the structure too, at five times the cost of taking the two concatenated numbers.
struct ECDSASignatureValue {
    /// The two concatenated numbers, each in as many octets as the order of the curve has.
    let plain: [UInt8]

    /// Reads a signature.
    ///
    /// - Parameters:
    ///   - der: The content of the signature's BIT STRING.
    ///   - width: The octets of the order of the curve.
    /// - Throws: ``DERError`` if it is not DER, or if a number is negative or larger than the curve allows.
    init(der: ArraySlice<UInt8>, width: Int) throws(DERError) {
        let bytes = der.span
        var pair = try DERReader.sole(.sequence, of: ByteRange(0, bytes.count), in: bytes)
        var plain: [UInt8] = []
        plain.reserveCapacity(2 &* width)
        for _ in 0..<2 {
            var number = try pair.integer(in: bytes)
            guard bytes[number.lowerBound] < 0x80 else { throw DERError(.invalidInteger, at: number.lowerBound) }
            if bytes[number.lowerBound] == 0 { number = ByteRange(number.lowerBound &+ 1, number.upperBound) }
            guard number.count <= width else { throw DERError(.invalidInteger, at: number.lowerBound) }
            for _ in number.count..<width { plain.append(0) }
            for index in number.lowerBound..<number.upperBound { plain.append(bytes[index]) }
        }
        try pair.finish()
        self.plain = plain
    }
}
