//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The `Authentication-Info` or `Proxy-Authentication-Info` of a response to a digest (RFC 7616 §3.5, RFC 7615).
struct AuthenticationInfo: Sendable {
    private static let maximumOctets = 16_384

    var nextNonce: [UInt8]?
    /// The proof that the server knows the password.
    var responseDigest: [UInt8]?
    var quality: String?
    var clientNonce: [UInt8]?
    var count: String?

    /// Reads the fields of a response.
    ///
    /// - Returns: `nil` if there is no such field.
    /// - Throws: ``HTTPAuthenticationError/malformedInfo`` if a field is malformed or too long.
    static func read(_ fields: HTTPFields, name: HTTPField.Name) throws(HTTPAuthenticationError) -> AuthenticationInfo?
    {
        var octets: [UInt8] = []
        for field in fields[fields: name] {
            guard octets.count <= Self.maximumOctets else { throw .malformedInfo }
            octets += field.withUnsafeBytesOfValue { Array($0.prefix(Self.maximumOctets + 1)) } + [UInt8(ascii: ",")]
        }
        guard !octets.isEmpty else { return nil }
        guard octets.count <= Self.maximumOctets + 1 else { throw .malformedInfo }
        return try AuthenticationInfo(FieldText(octets))
    }

    private init(_ text: FieldText) throws(HTTPAuthenticationError) {
        var (text, names) = (text, Set<String>())
        text.skipCommas()
        while !text.isAtEnd {
            guard let parameter = text.parameter(), let octets = parameter.octets,
                names.insert(parameter.name).inserted, names.count <= FieldText.maximumParameters
            else { throw .malformedInfo }
            self.set(parameter.name, octets)
            text.skipBlanks()
            guard text.isAtEndOfElement else { throw .malformedInfo }
            text.skipCommas()
        }
    }

    private mutating func set(_ name: String, _ octets: [UInt8]) {
        switch name {
        case "nextnonce": self.nextNonce = octets
        case "rspauth": self.responseDigest = octets
        case "qop": self.quality = String(decoding: octets, as: UTF8.self).lowercased()
        case "cnonce": self.clientNonce = octets
        case "nc": self.count = String(decoding: octets, as: UTF8.self).lowercased()
        default: break
        }
    }
}
