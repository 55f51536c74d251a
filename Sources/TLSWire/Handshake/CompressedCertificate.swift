//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Inflate

/// The message that has a Certificate message in it, compressed (RFC 8879 §4).
enum CompressedCertificate {
    /// The Certificate message's content.
    ///
    /// - Parameters:
    ///   - body: The message's content.
    ///   - limit: The most octets that may come of it.
    static func content(_ body: ArraySlice<UInt8>, limit: Int) throws(FlightError) -> [UInt8] {
        var reader = OctetReader(body)
        guard try reader.readUInt16() == CertificateCompression.zlib.rawValue else {
            throw .undecodable("a certificate that is compressed as was not offered")
        }
        let length = try reader.readUInt24()
        let compressed = try reader.readVector24()
        try reader.finish()
        guard length <= limit else { throw .messageTooLong(type: HandshakeType.certificate.rawValue, length: length) }
        // RFC 8879 §4: another length than announced ends the handshake.
        guard let content = try? Inflate.zlib(compressed, limit: length), content.count == length else {
            throw .undecodable("a compressed certificate that cannot be decompressed")
        }
        return content
    }
}
