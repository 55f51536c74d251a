//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Inflate

/// A reader of the message with a compressed Certificate message (RFC 8879 §4).
enum CompressedCertificate {
    /// Returns the body of the Certificate message.
    ///
    /// - Parameters:
    ///   - body: The body of the CompressedCertificate message.
    ///   - limit: The maximum number of decompressed octets.
    static func content(_ body: ArraySlice<UInt8>, limit: Int) throws(FlightError) -> [UInt8] {
        var reader = OctetReader(body)
        guard try reader.readUInt16() == CertificateCompression.zlib.rawValue else {
            throw .undecodable("a certificate that is compressed as was not offered")
        }
        let length = try reader.readUInt24()
        let compressed = try reader.readVector24()
        try reader.finish()
        guard length <= limit else { throw .messageTooLong(type: HandshakeType.certificate.rawValue, length: length) }
        // RFC 8879 §4: the length must be the announced one.
        guard let content = try? Inflate.zlib(compressed, limit: length), content.count == length else {
            throw .undecodable("a compressed certificate that cannot be decompressed")
        }
        return content
    }
}
