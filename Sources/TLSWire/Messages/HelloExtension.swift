//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An extension of a hello: its type and its content in wire format.
public struct HelloExtension: Sendable, Hashable {
    /// The type, with its number in IANA's registry.
    public var type: ExtensionType
    /// The content without its type and length.
    public var content: [UInt8]

    /// Creates an extension from its type and content.
    public init(_ type: ExtensionType, _ content: [UInt8] = []) {
        self.type = type
        self.content = content
    }

    /// The type of an extension (IANA's TLS ExtensionType Values).
    public struct ExtensionType: RawRepresentable, Sendable, Hashable {
        /// The number on the wire.
        public let rawValue: UInt16

        /// Creates a type from its number on the wire.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let serverName = Self(rawValue: 0)
        package static let statusRequest = Self(rawValue: 5)
        package static let supportedGroups = Self(rawValue: 10)
        package static let pointFormats = Self(rawValue: 11)
        package static let signatureAlgorithms = Self(rawValue: 13)
        package static let heartbeat = Self(rawValue: 15)
        package static let applicationProtocols = Self(rawValue: 16)
        package static let certificateTimestamps = Self(rawValue: 18)
        package static let padding = Self(rawValue: 21)
        package static let encryptThenMAC = Self(rawValue: 22)
        package static let extendedMasterSecret = Self(rawValue: 23)
        package static let compressCertificate = Self(rawValue: 27)
        package static let sessionTicket = Self(rawValue: 35)
        package static let preSharedKey = Self(rawValue: 41)
        package static let supportedVersions = Self(rawValue: 43)
        package static let cookie = Self(rawValue: 44)
        package static let pskExchangeModes = Self(rawValue: 45)
        package static let certificateAuthorities = Self(rawValue: 47)
        package static let keyShare = Self(rawValue: 51)
        /// RFC 9849 §5. A client may also send it without a hidden hello (§6.2), which looks the same.
        package static let encryptedClientHello = Self(rawValue: 0xFE0D)
        package static let renegotiationInfo = Self(rawValue: 0xFF01)
    }
}

/// An algorithm for compressing a Certificate message (RFC 8879 §7.3).
package enum CertificateCompression: UInt16, Sendable {
    case zlib = 1
}

extension HelloExtension {
    package static func serverName(_ name: String) -> Self {
        var entry = OctetWriter()
        entry.write(UInt8(0))
        entry.writeVector16(Array(name.utf8))
        return Self.list(.serverName, entry.bytes)
    }

    package static func supportedGroups(_ groups: [NamedGroup]) -> Self {
        Self.list(.supportedGroups, OctetWriter.octets(of: groups.map(\.rawValue)))
    }

    package static func signatureAlgorithms(_ schemes: [SignatureScheme]) -> Self {
        Self.list(.signatureAlgorithms, OctetWriter.octets(of: schemes.map(\.rawValue)))
    }

    package static func applicationProtocols(_ names: [String]) -> Self {
        var entries = OctetWriter()
        for name in names { entries.writeVector8(Array(name.utf8)) }
        return Self.list(.applicationProtocols, entries.bytes)
    }

    package static func supportedVersions(_ versions: [TLSProtocolVersion]) -> Self {
        var content = OctetWriter()
        content.writeVector8(OctetWriter.octets(of: versions.map(\.rawValue)))
        return Self(.supportedVersions, content.bytes)
    }

    package static func compressCertificate(_ algorithms: [CertificateCompression]) -> Self {
        var content = OctetWriter()
        content.writeVector8(OctetWriter.octets(of: algorithms.map(\.rawValue)))
        return Self(.compressCertificate, content.bytes)
    }

    package static func keyShare(_ shares: [(group: NamedGroup, key: [UInt8])]) -> Self {
        var entries = OctetWriter()
        for share in shares {
            entries.write(share.group.rawValue)
            entries.writeVector16(share.key)
        }
        return Self.list(.keyShare, entries.bytes)
    }

    /// Uncompressed points, the only form in use (RFC 8422 §5.1.2).
    package static let pointFormats = Self(.pointFormats, [1, 0])
    /// A request for a stapled OCSP response of any responder (RFC 6066 §8).
    package static let statusRequest = Self(.statusRequest, [1, 0, 0, 0, 0])
    /// An offer to receive heartbeats (RFC 6520 §2). The client never sends one.
    package static let heartbeat = Self(.heartbeat, [1])

    /// Returns the padding for a hello of `count` octets without it, or nothing if the hello needs none.
    static func padding(after count: Int) -> [HelloExtension] {
        // The header of the handshake message and the length of the extensions count, too.
        let length = count + 4 + 2
        guard (256..<512).contains(length) else { return [] }
        return [Self(.padding, [UInt8](repeating: 0, count: max(1, 512 - length - 4)))]
    }

    private static func list(_ type: ExtensionType, _ entries: [UInt8]) -> Self {
        var content = OctetWriter()
        content.writeVector16(entries)
        return Self(type, content.bytes)
    }
}

extension [HelloExtension] {
    var encoded: [UInt8] {
        var writer = OctetWriter()
        for element in self {
            writer.write(element.type.rawValue)
            writer.writeVector16(element.content)
        }
        return writer.bytes
    }
}
