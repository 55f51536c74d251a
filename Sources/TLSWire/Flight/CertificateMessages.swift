//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The messages about certificates of TLS 1.2 and older.
enum CertificateMessages {
    /// Ten times the longest path there is any use for. Each is kept, compared and judged.
    static let maximumCertificates = 100

    /// Reads a Certificate message (RFC 5246 §7.4.2).
    static func certificates(_ body: ArraySlice<UInt8>) throws(FlightError) -> [[UInt8]] {
        var reader = OctetReader(body)
        var list = OctetReader(try reader.readVector24())
        try reader.finish()
        var certificates: [[UInt8]] = []
        while !list.isAtEnd {
            let certificate = try list.readVector24()
            guard !certificate.isEmpty else { throw .undecodable("a certificate of no octets") }
            guard certificates.count < Self.maximumCertificates else { throw .tooManyCertificates }
            certificates.append(Array(certificate))
        }
        return certificates
    }

    /// Reads a CertificateStatus message (RFC 6066 §8); `nil` for a kind of status that was not asked for.
    static func ocspResponse(_ body: ArraySlice<UInt8>) throws(FlightError) -> [UInt8]? {
        var reader = OctetReader(body)
        guard try reader.readUInt8() == 1 else { return nil }
        let response = try reader.readVector24()
        try reader.finish()
        return Array(response)
    }

    /// Reads a CertificateRequest message (RFC 5246 §7.4.4, RFC 4346 §7.4.4).
    static func request(
        _ body: ArraySlice<UInt8>, version: TLSProtocolVersion
    ) throws(FlightError) -> ClientCertificateRequest {
        var reader = OctetReader(body)
        let types = try reader.readVector8()
        let schemes = version >= .tls12 ? try Self.schemes(try reader.readVector16()) : []
        let names = try reader.readVector16()
        try reader.finish()
        var request = try Self.authorities(names)
        (request.certificateTypes, request.signatureSchemes) = (Array(types), schemes)
        return request
    }

    /// Reads a list of signature schemes.
    static func schemes(_ list: ArraySlice<UInt8>) throws(FlightError) -> [SignatureScheme] {
        var reader = OctetReader(list)
        var schemes: [SignatureScheme] = []
        while !reader.isAtEnd { schemes.append(SignatureScheme(rawValue: try reader.readUInt16())) }
        return schemes
    }

    /// Reads the distinguished names of the authorities that a server takes.
    static func authorities(_ list: ArraySlice<UInt8>) throws(FlightError) -> ClientCertificateRequest {
        var names = OctetReader(list)
        var request = ClientCertificateRequest()
        while !names.isAtEnd {
            let name = try names.readVector16()
            request.authorityCount += 1
            if request.authorities.count < ClientCertificateRequest.keptAuthorities {
                request.authorities.append(Array(name))
            }
        }
        return request
    }
}

extension ClientCertificateRequest {
    /// Government servers name hundreds, each of which may be that of the client.
    fileprivate static let keptAuthorities = 2_000
}
