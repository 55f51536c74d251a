//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire

/// A ClientHello as a server reads it: from its bytes, so that what is written there is what counts.
struct SentHello {
    var recordVersion: UInt16 = 0
    var recordCount = 0
    /// The length of the handshake message with its header, which is what RFC 7685 is about.
    var length = 0
    var legacyVersion = TLSProtocolVersion(rawValue: 0)
    var sessionID: [UInt8] = []
    /// The suites, signals among them.
    var suites: [CipherSuite] = []
    var compressionMethods: [UInt8] = []
    /// The types of the extensions in their order, and what is in them; `nil` where the hello ends before them.
    var extensions: [(type: UInt16, content: [UInt8])]?

    /// Reads a hello; `nil` where its fields do not add up.
    init?(_ bytes: [UInt8]) {
        var message: [UInt8] = []
        var records = Cursor(bytes)
        while !records.isAtEnd {
            guard records.take(1) == [22], let version = records.number(), let content = records.vector16(),
                content.count <= 1 << 14
            else { return nil }
            self.recordVersion = version
            self.recordCount += 1
            message += content
        }
        self.length = message.count
        var header = Cursor(message)
        guard header.take(1) == [1], let high = header.take(1)?.first, let low = header.number(),
            Int(high) << 16 | Int(low) == message.count - 4
        else { return nil }
        guard self.readBody(&header), header.isAtEnd else { return nil }
    }

    private mutating func readBody(_ body: inout Cursor) -> Bool {
        guard let version = body.number(), body.take(32) != nil, let session = body.vector8(),
            let suites = body.vector16(), suites.count % 2 == 0, let compression = body.vector8()
        else { return false }
        self.legacyVersion = TLSProtocolVersion(rawValue: version)
        self.sessionID = session
        self.compressionMethods = compression
        self.suites = Cursor.numbers(suites).map(CipherSuite.init)
        guard !body.isAtEnd else { return true }
        guard let list = body.vector16() else { return false }
        var cursor = Cursor(list)
        var extensions: [(type: UInt16, content: [UInt8])] = []
        while !cursor.isAtEnd {
            guard let type = cursor.number(), let content = cursor.vector16() else { return false }
            extensions.append((type, content))
        }
        self.extensions = extensions
        return true
    }
}

// MARK: - Extensions

extension SentHello {
    func content(_ type: UInt16) -> [UInt8]? { self.extensions?.first { $0.type == type }?.content }
    func has(_ type: UInt16) -> Bool { self.content(type) != nil }

    /// The versions of the extension for them; `nil` where it is not there.
    var versions: [TLSProtocolVersion]? {
        self.content(43).map { Cursor.numbers(Array($0.dropFirst())).map(TLSProtocolVersion.init) }
    }

    var groups: [NamedGroup]? { self.content(10).map { Cursor.numbers(Array($0.dropFirst(2))).map(NamedGroup.init) } }

    var schemes: [SignatureScheme]? {
        self.content(13).map { Cursor.numbers(Array($0.dropFirst(2))).map(SignatureScheme.init) }
    }

    var serverName: String? { self.content(0).map { String(decoding: $0.dropFirst(5), as: UTF8.self) } }

    /// The protocols of ALPN; `nil` where the extension is not there.
    var protocols: [String]? {
        guard let content = self.content(16) else { return nil }
        var cursor = Cursor(Array(content.dropFirst(2)))
        var names: [String] = []
        while let name = cursor.vector8() { names.append(String(decoding: name, as: UTF8.self)) }
        return names
    }

    /// The groups that keys came for, with the keys; `nil` where the extension is not there.
    var keyShares: [(group: NamedGroup, key: [UInt8])]? {
        guard let content = self.content(51) else { return nil }
        var cursor = Cursor(Array(content.dropFirst(2)))
        var shares: [(group: NamedGroup, key: [UInt8])] = []
        while let group = cursor.number(), let key = cursor.vector16() {
            shares.append((NamedGroup(rawValue: group), key))
        }
        return shares
    }
}

/// Reads fields off bytes.
struct Cursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.rest = bytes[...] }

    var isAtEnd: Bool { self.rest.isEmpty }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.rest.count >= count else { return nil }
        defer { self.rest = self.rest.dropFirst(count) }
        return Array(self.rest.prefix(count))
    }

    mutating func number() -> UInt16? { self.take(2).map { UInt16($0[0]) << 8 | UInt16($0[1]) } }
    mutating func vector8() -> [UInt8]? { self.take(1).flatMap { self.take(Int($0[0])) } }
    mutating func vector16() -> [UInt8]? { self.number().flatMap { self.take(Int($0)) } }

    static func numbers(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
