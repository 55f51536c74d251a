//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a client's hello says in the clear about where it goes.
package struct ReceivedClientHello: Sendable, Hashable {
    /// The name of the server as it was sent (RFC 6066 §3); `nil` without one.
    package let serverName: String?
    /// The versions that the extension for them names (RFC 8446 §4.2.1); none without it, which offers no TLS 1.3.
    package let supportedVersions: [TLSProtocolVersion]
    /// Whether it names a session of the versions before TLS 1.3 (RFC 5246 §7.4.1.2).
    private let hasSessionIdentifier: Bool
    /// Whether it brings a ticket (RFC 5077 §3.2), or offers keys of sessions in TLS 1.3 (RFC 8446 §4.2.11).
    private let hasTicket: Bool
    /// The octets of its records, with those of the records before it.
    package let size: Int

    /// Whether a server may resume a session by it.
    ///
    /// - Parameter maximum: The newest version that the server speaks. With TLS 1.3 the identifier of a session means nothing
    ///   (RFC 8446 §D.4).
    package func mayResume(upTo maximum: TLSProtocolVersion) -> Bool {
        let usesTLS13 = maximum >= .tls13 && self.supportedVersions.contains(.tls13)
        return self.hasTicket || (self.hasSessionIdentifier && !usesTLS13)
    }

    /// What reading some octets has come to.
    package enum Progress: Sendable, Hashable {
        /// More is to come.
        case unfinished
        /// The hello is there.
        case finished(ReceivedClientHello)
        /// The octets are not TLS.
        case notTLS
    }

    /// The octets that a hello and the records before it may have: several times those of any client. All are read again when
    /// more have come.
    package static let limit = 1 << 14

    /// Reads a hello from the records of a client. What follows it is not looked at.
    ///
    /// - Parameter octets: All that has come so far.
    /// - Throws: ``FlightError`` when they break TLS's rules, or are more than a hello has.
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

    /// What a record has of the hello.
    private static func content(_ record: TLSRecord) throws(FlightError) -> ArraySlice<UInt8> {
        guard !record.content.isEmpty else { throw .emptyRecord }
        guard record.type == TLSContentType.handshake.rawValue else {
            throw .unexpected("a record of type \(record.type)")
        }
        return record.content
    }

    /// The body of the message; `nil` when it has not come whole.
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
        // RFC 8446 §5.1: no message follows a hello within its record.
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

    /// RFC 6066 §3: a list of names, one of a type. Names of a host are the only type that there is.
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
