//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A ServerHello, or a HelloRetryRequest, which has the same form (RFC 5246 §7.4.1.3, RFC 8446 §4.1.3 and §4.1.4).
///
/// The chosen parameters are read from its fields and extensions. They are not checked against an offer.
public struct ServerHello: Sendable, Hashable {
    /// The chosen version, from the `supported_versions` extension or the version field.
    public var version: TLSProtocolVersion
    /// The 32 random octets.
    public var random: [UInt8]
    /// The version field, which TLS 1.3 sets to TLS 1.2 (RFC 8446 §4.1.3).
    package var legacyVersion: TLSProtocolVersion
    /// The session identifier of at most 32 octets. A server may echo the client's.
    package var sessionID: [UInt8]
    /// The chosen cipher suite.
    public var cipherSuite: CipherSuite
    /// The chosen compression method. 0 means no compression.
    public var compressionMethod: UInt8
    /// The extensions in their order.
    public var extensions: [HelloExtension]
    /// `true` for a HelloRetryRequest, which asks for another hello with a key of ``selectedGroup``.
    public var isRetryRequest: Bool
    /// The group of the key share in TLS 1.3.
    public var selectedGroup: NamedGroup?
    /// The server's key of that group in TLS 1.3, or `nil` in a HelloRetryRequest.
    package var keyShare: [UInt8]?
    /// The protocol chosen by ALPN. Before TLS 1.3 it is in the clear.
    public var applicationProtocol: String?

    package func has(_ type: HelloExtension.ExtensionType) -> Bool { self.extensions.contains { $0.type == type } }

    /// `true` if the extended master secret binds the keys to the handshake. It is `nil` in TLS 1.3, which always does so.
    public var usesExtendedMasterSecret: Bool? {
        self.version >= .tls13 ? nil : self.has(.extendedMasterSecret)
    }

    /// `true` if the random value signals that the server supports a newer version than the chosen one (RFC 8446 §4.1.3).
    public var hasDowngradeSentinel: Bool {
        let sentinel: [UInt8] = [0x44, 0x4F, 0x57, 0x4E, 0x47, 0x52, 0x44]
        let end = self.random.suffix(8)
        return end.starts(with: sentinel) && end.last.map { $0 <= 1 } == true
    }
}

extension ServerHello {
    init(_ body: ArraySlice<UInt8>) throws(FlightError) {
        var reader = OctetReader(body)
        let legacyVersion = TLSProtocolVersion(rawValue: try reader.readUInt16())
        let random = Array(try reader.read(32))
        let sessionID = Array(try reader.readVector8())
        guard sessionID.count <= 32 else { throw .undecodable("a session of more than 32 octets") }
        let suite = CipherSuite(rawValue: try reader.readUInt16())
        let compressionMethod = try reader.readUInt8()
        var extensions: [HelloExtension] = []
        if !reader.isAtEnd {
            extensions = try Self.extensions(try reader.readVector16())
            try reader.finish()
        }
        self.init(
            version: legacyVersion, random: random, legacyVersion: legacyVersion, sessionID: sessionID,
            cipherSuite: suite, compressionMethod: compressionMethod, extensions: extensions,
            isRetryRequest: random == Self.retryRandom)
        try self.readExtensions()
        // SSL 2.0 has messages of another form, and no version precedes it.
        guard legacyVersion >= .ssl30, self.version >= .ssl30 else { throw .undecodable("a version that never was") }
    }

    /// SHA-256 of "HelloRetryRequest" (RFC 8446 §4.1.3).
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]

    /// Reads the extensions of any message (RFC 8446 §4.2).
    static func extensions(_ bytes: ArraySlice<UInt8>) throws(FlightError) -> [HelloExtension] {
        var reader = OctetReader(bytes)
        var extensions: [HelloExtension] = []
        while !reader.isAtEnd {
            let type = HelloExtension.ExtensionType(rawValue: try reader.readUInt16())
            let content = try reader.readVector16()
            // RFC 8446 §4.2: at most one extension of each type. Their number is limited, so a linear search is fast.
            guard !extensions.contains(where: { $0.type == type }) else {
                throw .undecodable("an extension is there twice")
            }
            guard extensions.count < 64 else { throw .undecodable("more extensions than any client offers") }
            extensions.append(HelloExtension(type, Array(content)))
        }
        return extensions
    }

    private mutating func readExtensions() throws(FlightError) {
        for element in self.extensions {
            var reader = OctetReader(element.content[...])
            switch element.type {
            // RFC 7627 §5.1: the extension is empty.
            case .extendedMasterSecret: break
            case .supportedVersions: self.version = TLSProtocolVersion(rawValue: try reader.readUInt16())
            case .keyShare:
                self.selectedGroup = NamedGroup(rawValue: try reader.readUInt16())
                if !self.isRetryRequest { self.keyShare = Array(try reader.readVector16()) }
            case .applicationProtocols: self.applicationProtocol = try element.chosenProtocol(&reader)
            default: continue
            }
            try reader.finish()
        }
    }
}

extension HelloExtension {
    /// Reads the single protocol that a server chose by ALPN (RFC 7301 §3.1), in printable characters.
    func chosenProtocol(_ reader: inout OctetReader) throws(FlightError) -> String {
        var names = OctetReader(try reader.readVector16())
        let name = PrintableASCII.text(try names.readVector8(), limit: 255)
        try names.finish()
        return name
    }
}
