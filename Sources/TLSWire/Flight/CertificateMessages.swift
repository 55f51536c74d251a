//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the certificate messages of TLS 1.2 and older.
enum CertificateMessages {
    /// Ten times the longest useful path. Each certificate costs memory, comparisons and an evaluation.
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

    /// Reads a CertificateStatus message (RFC 6066 §8), or returns `nil` for a type of status that was not requested.
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

    static func schemes(_ list: ArraySlice<UInt8>) throws(FlightError) -> [SignatureScheme] {
        var reader = OctetReader(list)
        var schemes: [SignatureScheme] = []
        while !reader.isAtEnd { schemes.append(SignatureScheme(rawValue: try reader.readUInt16())) }
        return schemes
    }

    /// Reads the distinguished names of the authorities that a server accepts.
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
    /// The maximum number of names. Government servers list hundreds, and the client's may be any of them.
    fileprivate static let keptAuthorities = 2_000
}
