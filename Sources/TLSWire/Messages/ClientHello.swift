//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A ClientHello (RFC 5246 §7.4.1.2, RFC 8446 §4.1.2) with the fields of its wire format.
///
/// It has no private keys, so it only serves to read a server's answer. A ``HandshakeReader`` has the keys of its key shares.
public struct ClientHello: Sendable, Hashable {
    /// The version in the record header, which old servers require to be low.
    public var recordVersion: TLSProtocolVersion
    /// The version in the hello itself, the newest one up to TLS 1.2.
    public var legacyVersion: TLSProtocolVersion
    /// 32 random octets.
    public var random: [UInt8]
    /// The session identifier of at most 32 octets.
    public var sessionID: [UInt8]
    /// The cipher suites, most preferred first.
    public var cipherSuites: [CipherSuite]
    /// The compression methods.
    public var compressionMethods: [UInt8]
    /// The extensions in their order, or `nil` if the hello ends before them.
    public var extensions: [HelloExtension]?

    package init(
        recordVersion: TLSProtocolVersion, legacyVersion: TLSProtocolVersion, random: [UInt8], sessionID: [UInt8],
        cipherSuites: [CipherSuite], compressionMethods: [UInt8], extensions: [HelloExtension]?
    ) {
        self.recordVersion = recordVersion
        self.legacyVersion = legacyVersion
        self.random = random
        self.sessionID = sessionID
        self.cipherSuites = cipherSuites
        self.compressionMethods = compressionMethods
        self.extensions = extensions
    }

    /// Returns the hello in records, ready to send.
    public func encoded() -> [UInt8] {
        let message = self.message
        var records = OctetWriter()
        var start = 0
        while start < message.count {
            let end = min(start + Self.maximumFragment, message.count)
            records.write(TLSContentType.handshake.rawValue)
            records.write(self.recordVersion.rawValue)
            records.writeVector16(message[start..<end])
            start = end
        }
        return records.bytes
    }

    /// The maximum length of a fragment in octets (RFC 5246 §6.2.1).
    private static let maximumFragment = 1 << 14

    /// The hello as a handshake message without records, the beginning of a transcript (RFC 8446 §4.4.1).
    package var message: [UInt8] {
        let body = self.body
        var message = OctetWriter()
        message.write(HandshakeType.clientHello.rawValue)
        message.write(UInt8(truncatingIfNeeded: body.count >> 16))
        message.write(UInt16(truncatingIfNeeded: body.count))
        message.write(body)
        return message.bytes
    }

    private var body: [UInt8] {
        var body = OctetWriter()
        body.write(self.legacyVersion.rawValue)
        body.write(self.random)
        body.writeVector8(self.sessionID)
        body.writeVector16(self.cipherSuites.map(\.rawValue))
        body.writeVector8(self.compressionMethods)
        guard let extensions else { return body.bytes }
        // RFC 7685 §2: some servers never answer hellos of 256 to 511 octets.
        let padding = HelloExtension.padding(after: body.bytes.count + extensions.encoded.count)
        body.writeVector16((extensions + padding).encoded)
        return body.bytes
    }
}

/// The types of records (RFC 8446 §5.1).
package enum TLSContentType: UInt8 {
    case changeCipherSpec = 20
    case alert = 21
    case handshake = 22
    case applicationData = 23
    case heartbeat = 24
}

/// The types of handshake messages up to the end of a server's first flight (RFC 5246 §7.4, RFC 6066 §8, RFC 8446 §4).
package enum HandshakeType: UInt8 {
    case helloRequest = 0
    case clientHello = 1
    case serverHello = 2
    case newSessionTicket = 4
    case encryptedExtensions = 8
    case certificate = 11
    case serverKeyExchange = 12
    case certificateRequest = 13
    case serverHelloDone = 14
    case certificateVerify = 15
    case finished = 20
    case certificateStatus = 22
    case supplementalData = 23
    case compressedCertificate = 25
    case messageHash = 254
}
