//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parts of a client's hello that tell its destination and its sessions.
package struct ReceivedClientHello: Sendable, Hashable {
    /// The name of the server as sent (RFC 6066 §3), or `nil` if there is none.
    package let serverName: String?
    /// The versions in the `supported_versions` extension (RFC 8446 §4.2.1). Without the extension they are empty, and TLS 1.3 is
    /// not offered.
    package let supportedVersions: [TLSProtocolVersion]
    /// `true` if the hello has a session identifier of the versions before TLS 1.3 (RFC 5246 §7.4.1.2).
    private let hasSessionIdentifier: Bool
    /// `true` if the hello has a ticket (RFC 5077 §3.2) or offers pre-shared keys of TLS 1.3 (RFC 8446 §4.2.11).
    private let hasTicket: Bool
    /// The size of the hello's records and of those before them, in octets.
    package let size: Int

    /// Returns `true` if a server may resume a session from this hello.
    ///
    /// - Parameter maximum: The newest version of the server. In TLS 1.3 a session identifier has no meaning (RFC 8446 §D.4).
    package func mayResume(upTo maximum: TLSProtocolVersion) -> Bool {
        let usesTLS13 = maximum >= .tls13 && self.supportedVersions.contains(.tls13)
        return self.hasTicket || (self.hasSessionIdentifier && !usesTLS13)
    }

    /// The progress of reading a hello.
    package enum Progress: Sendable, Hashable {
        case unfinished
        case finished(ReceivedClientHello)
        case notTLS
    }

    /// The maximum size of a hello and the records before it in octets, several times that of any client's. All octets are read
    /// again when more arrive.
    package static let limit = 1 << 14

    /// Reads a hello from a client's records. The octets after it are ignored.
    ///
    /// - Parameter octets: All octets received so far.
    /// - Throws: ``FlightError`` if the octets break the rules of TLS or exceed the limit.
    package static func read(_ octets: [UInt8]) throws(FlightError) -> Progress {
        var rest = octets[...]
        var message: [UInt8] = []
        while rest.startIndex <= Self.limit {
            guard TLSRecord.canBegin(rest) else { return .notTLS }
            guard let record = try TLSRecord.next(&rest) else {
                guard octets.count <= Self.limit else { break }
                return .unfinished
            }
            message += try Self.content(record)
            guard let body = try Self.body(message) else { continue }
            return .finished(try Self(body, size: rest.startIndex))
        }
        throw .tooMuch(limit: Self.limit)
    }

    private static func content(_ record: TLSRecord) throws(FlightError) -> ArraySlice<UInt8> {
        guard !record.content.isEmpty else { throw .emptyRecord }
        guard record.type == TLSContentType.handshake.rawValue else {
            throw .unexpected("a record of type \(record.type)")
        }
        return record.content
    }

    private static func body(_ message: [UInt8]) throws(FlightError) -> ArraySlice<UInt8>? {
        guard let type = message.first else { return nil }
        guard type == HandshakeType.clientHello.rawValue else {
            throw .unexpected("a handshake message of type \(type)")
        }
        guard message.count >= 4 else { return nil }
        var reader = OctetReader(message[1...])
        let length = try reader.readUInt24()
        guard length <= Self.limit else { throw .messageTooLong(type: type, length: length) }
        guard reader.count >= length else { return nil }
        let body = try reader.read(length)
        // RFC 8446 §5.1: no message follows a hello in the same record.
        try reader.finish()
        return body
    }
}

extension ReceivedClientHello {
    /// Reads the body of the message (RFC 8446 §4.1.2, RFC 5246 §7.4.1.2).
    fileprivate init(_ body: ArraySlice<UInt8>, size: Int) throws(FlightError) {
        var reader = OctetReader(body)
        _ = try reader.read(2 + 32)
        let session = try reader.readVector8()
        guard session.count <= 32 else { throw .undecodable("a session of more than 32 octets") }
        _ = try reader.readVector16()
        _ = try reader.readVector8()
        var extensions: [HelloExtension] = []
        if !reader.isAtEnd {
            extensions = try ServerHello.extensions(try reader.readVector16())
            try reader.finish()
        }
        let name = extensions.first { $0.type == .serverName }
        self.serverName = try name.map { element throws(FlightError) in try Self.name(element.content) }
        let versions = extensions.first { $0.type == .supportedVersions }
        self.supportedVersions =
            try versions.map { element throws(FlightError) in try Self.versions(element.content) } ?? []
        self.hasSessionIdentifier = !session.isEmpty
        self.hasTicket = extensions.contains { element in
            element.type == .preSharedKey || (element.type == .sessionTicket && !element.content.isEmpty)
        }
        self.size = size
    }

    /// Reads the list of names, which has one name of each type (RFC 6066 §3). The host name is the only type.
    private static func name(_ content: [UInt8]) throws(FlightError) -> String {
        var reader = OctetReader(content[...])
        var names = OctetReader(try reader.readVector16())
        try reader.finish()
        guard try names.readUInt8() == 0 else { throw .undecodable("a name of a server that is not a host's") }
        let name = try names.readVector16()
        try names.finish()
        guard !name.isEmpty, name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .undecodable("a name of a server that is not in ASCII")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func versions(_ content: [UInt8]) throws(FlightError) -> [TLSProtocolVersion] {
        var reader = OctetReader(content[...])
        var list = OctetReader(try reader.readVector8())
        try reader.finish()
        var versions: [TLSProtocolVersion] = []
        while !list.isAtEnd { versions.append(TLSProtocolVersion(rawValue: try list.readUInt16())) }
        return versions
    }
}
