//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The algorithm of a private key in PKCS #8.
package enum PrivateKeyAlgorithm {
    /// Reads the identifier of the algorithm (RFC 5958 §2), and nothing of the key.
    ///
    /// - Parameter der: The DER encoding of the key.
    /// - Returns: The identifier, or `nil` if the octets are not such a key.
    package static func identifier(inPKCS8 der: [UInt8]) -> OID? {
        let bytes = der.span
        do {
            var fields = try DERReader.sole(.sequence, of: ByteRange(0, der.count), in: bytes)
            guard try fields.next(in: bytes).tag == .integer else { return nil }
            var algorithm = try fields.nested(.sequence, in: bytes)
            return OID(try algorithm.objectIdentifier(in: bytes), in: der)
        } catch {
            return nil
        }
    }
}
