//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the messages that TLS 1.3 encrypts (RFC 8446 §4.3 and §4.4), after their decryption.
package enum EncryptedMessages {
    /// Reads an EncryptedExtensions message (RFC 8446 §4.3.1).
    package static func extensions(_ body: ArraySlice<UInt8>) throws(FlightError) -> [HelloExtension] {
        var reader = OctetReader(body)
        let extensions = try ServerHello.extensions(try reader.readVector16())
        try reader.finish()
        return extensions
    }

    package static func applicationProtocol(_ extensions: [HelloExtension]) throws(FlightError) -> String? {
        guard let element = extensions.first(where: { $0.type == .applicationProtocols }) else { return nil }
        var reader = OctetReader(element.content[...])
        let name = try element.chosenProtocol(&reader)
        try reader.finish()
        return name
    }

    /// Returns the groups that the server supports, in its order (RFC 8446 §4.2.7). They are empty if the server lists none.
    package static func supportedGroups(_ extensions: [HelloExtension]) throws(FlightError) -> [NamedGroup] {
        guard let element = extensions.first(where: { $0.type == .supportedGroups }) else { return [] }
        var reader = OctetReader(element.content[...])
        var list = OctetReader(try reader.readVector16())
        try reader.finish()
        var groups: [NamedGroup] = []
        while !list.isAtEnd { groups.append(NamedGroup(rawValue: try list.readUInt16())) }
        return groups
    }

    /// Reads a CertificateRequest message (RFC 8446 §4.3.2).
    package static func request(_ body: ArraySlice<UInt8>) throws(FlightError) -> ClientCertificateRequest {
        var reader = OctetReader(body)
        guard try reader.readVector8().isEmpty else { throw .undecodable("a context outside of a request after it") }
        let extensions = try ServerHello.extensions(try reader.readVector16())
        try reader.finish()
        guard let algorithms = extensions.first(where: { $0.type == .signatureAlgorithms }) else {
            throw .undecodable("a request for a certificate without signature algorithms")
        }
        var request = ClientCertificateRequest()
        if let list = extensions.first(where: { $0.type == .certificateAuthorities }) {
            var names = OctetReader(list.content[...])
            request = try CertificateMessages.authorities(try names.readVector16())
            try names.finish()
        }
        var schemes = OctetReader(algorithms.content[...])
        request.signatureSchemes = try CertificateMessages.schemes(try schemes.readVector16())
        try schemes.finish()
        return request
    }

    /// Reads a Certificate message (RFC 8446 §4.4.2).
    package static func certificates(_ body: ArraySlice<UInt8>) throws(FlightError) -> [Entry] {
        var reader = OctetReader(body)
        guard try reader.readVector8().isEmpty else { throw .undecodable("a context of a server's certificate") }
        var list = OctetReader(try reader.readVector24())
        try reader.finish()
        var entries: [Entry] = []
        while !list.isAtEnd {
            let certificate = try list.readVector24()
            guard !certificate.isEmpty else { throw .undecodable("a certificate of no octets") }
            guard entries.count < CertificateMessages.maximumCertificates else { throw .tooManyCertificates }
            let extensions = try ServerHello.extensions(try list.readVector16())
            entries.append(Entry(certificate: Array(certificate), extensions: extensions))
        }
        return entries
    }

    /// Reads a CertificateVerify message (RFC 8446 §4.4.3).
    package static func signature(
        _ body: ArraySlice<UInt8>
    ) throws(FlightError) -> (scheme: SignatureScheme, signature: [UInt8]) {
        var reader = OctetReader(body)
        let scheme = SignatureScheme(rawValue: try reader.readUInt16())
        let signature = Array(try reader.readVector16())
        try reader.finish()
        return (scheme, signature)
    }

    /// A certificate with its extensions in the message.
    package struct Entry: Sendable, Hashable {
        package let certificate: [UInt8]
        package let extensions: [HelloExtension]

        /// Returns the stapled OCSP response in DER, not parsed, or `nil` if there is none (RFC 8446 §4.4.2.1).
        package func ocspResponse() throws(FlightError) -> [UInt8]? {
            guard let element = self.extensions.first(where: { $0.type == .statusRequest }) else { return nil }
            return try CertificateMessages.ocspResponse(element.content[...])
        }

        /// The list of signed certificate timestamps (RFC 6962 §3.3.1), not parsed, or `nil` if there is none.
        package var timestamps: [UInt8]? {
            self.extensions.first { $0.type == .certificateTimestamps }?.content
        }
    }
}
