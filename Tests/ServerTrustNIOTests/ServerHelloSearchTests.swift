//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire
import Testing

@testable import ServerTrustNIO

@Suite("Finding the ServerHello")
struct ServerHelloSearchTests {
    @Test(
        "The version comes from the extension if there is one, otherwise from the message",
        arguments: [
            (0x0301, nil, TLSProtocolVersion.tls10), (0x0302, nil, .tls11), (0x0303, nil, .tls12),
            (0x0303, 0x0304, .tls13), (0x0300, nil, TLSProtocolVersion(rawValue: 0x0300)),
        ] as [(UInt16, UInt16?, TLSProtocolVersion)]
    )
    func versions(legacy: UInt16, selected: UInt16?, expected: TLSProtocolVersion) throws {
        let bytes = Self.record(22, Self.hello(legacyVersion: legacy, selectedVersion: selected))
        let hello = try #require(Self.hello(in: Self.read([bytes])))
        #expect(hello.version == expected)
        #expect(hello.cipherSuite.rawValue == 0xC02F)
    }

    @Test("The extended master secret is in use where TLS 1.2 or older says so, and empty", arguments: extensionBlocks)
    func extendedMasterSecret(version: UInt16, extensions: [UInt8], expected: Bool?) throws {
        let hello = try #require(Self.hello(in: Self.read([Self.record(22, Self.hello(version, extensions))])))
        #expect(hello.usesExtendedMasterSecret == expected)
    }

    @Test("Extensions that are cut short, or hold what they must not, make no ServerHello", arguments: brokenExtensions)
    func brokenExtensionBlock(extensions: [UInt8]) {
        #expect(Self.read([Self.record(22, Self.hello(0x0303, extensions))]) == .nothing)
    }

    @Test("It does not matter how the bytes are cut", arguments: 1...20)
    func fragments(size: Int) throws {
        let message = Self.hello(selectedVersion: 0x0304)
        let records = stride(from: 0, to: message.count, by: size).flatMap { start in
            Self.record(22, Array(message[start..<min(start + size, message.count)]))
        }
        let reads = stride(from: 0, to: records.count, by: size).map { start in
            Array(records[start..<min(start + size, records.count)])
        }
        #expect(try #require(Self.hello(in: Self.read(reads))).version == .tls13)
    }

    @Test("The real ServerHello after a HelloRetryRequest counts")
    func helloRetryRequest() throws {
        let retry = Self.hello(selectedVersion: 0x0304, cipherSuite: 0x1302, random: Self.retryRandom)
        let bytes =
            Self.record(22, retry) + Self.record(20, [1])
            + Self.record(22, Self.hello(selectedVersion: 0x0304, cipherSuite: 0x1301))
        #expect(Self.read([Self.record(22, retry)]) == nil)
        #expect(try #require(Self.hello(in: Self.read([bytes]))).cipherSuite.rawValue == 0x1301)
    }

    @Test("A HelloRetryRequest settles nothing by itself, whatever follows")
    func nothingAfterRetryRequest() {
        let retry = Self.record(22, Self.hello(selectedVersion: 0x0304, random: Self.retryRandom))
        let endings: [([UInt8], ServerHelloSearch.Finding)] = [
            (retry, .nothing), (Self.record(22, [11, 0, 0, 0]), .nothing), (Self.record(22, [0, 0, 0, 0]), .nothing),
            (Self.record(23, [0]), .nothing), (Self.record(21, [2, 47]), .alert(.illegalParameter)),
            (Array("HTTP".utf8), .notTLS),
        ]
        for (bytes, finding) in endings {
            #expect(Self.read([retry + bytes]) == finding)
            #expect(Self.read([retry, bytes]) == finding)
        }
    }

    @Test("A message of TLS 1.2 that looks like a HelloRetryRequest settles nothing")
    func retryRequestOfTLS12() {
        let retry = Self.record(22, Self.hello(random: Self.retryRandom) + [14, 0, 0, 0])
        #expect(Self.read([retry]) == .nothing)
    }

    @Test("The first finding is the only one")
    func onlyOnce() {
        var search = ServerHelloSearch()
        let hello = ByteBuffer(bytes: Self.record(22, Self.hello()))
        #expect(Self.hello(in: search.read(hello)) != nil)
        #expect(search.read(hello) == nil && search.read(ByteBuffer(bytes: [0])) == nil)
    }

    @Test("A ServerHello is found although more than is searched follows it at once")
    func longFlight() {
        let rest = [UInt8](repeating: 0xFF, count: 1 << 20)
        #expect(Self.hello(in: Self.read([Self.record(22, Self.hello()) + rest])) != nil)
    }

    @Test("A warning before the ServerHello is passed over")
    func warning() throws {
        let bytes = Self.record(21, [1, 112]) + Self.record(22, Self.hello())
        #expect(Self.hello(in: Self.read([bytes])) != nil)
    }

    @Test(
        "Other beginnings are recognized for what they are",
        arguments: [
            (Self.record(21, [2, 40]), .alert(.handshakeFailure)), (Self.record(21, [2]), .nothing),
            (Self.record(23, [0]), .nothing),
            (Self.record(22, [1, 0, 0, 0]), .nothing), (Self.record(22, [2, 0, 0, 1, 3]), .nothing),
            (Array("HTTP/1.1".utf8), .notTLS), ([0x16, 0x02], .notTLS), ([0x80], .notTLS),
            ([0x16], nil), ([], nil), (Self.record(22, []), .nothing), (Self.record(21, [1, 0]), .nothing),
            (Self.record(24, [1]), .nothing), ([22, 3, 3, 0xFF, 0xFF], .nothing),
        ] as [([UInt8], ServerHelloSearch.Finding?)]
    )
    func otherBeginnings(bytes: [UInt8], expected: ServerHelloSearch.Finding?) {
        #expect(Self.read([bytes]) == expected)
    }

    @Test("No truncation or change of a byte traps")
    func mutations() {
        let bytes = Self.record(22, Self.hello(selectedVersion: 0x0304))
        for index in bytes.indices {
            // What is cut off has said nothing yet; what is changed says at most something else.
            #expect(Self.read([Array(bytes[..<index])]) == nil)
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                let finding = Self.read([changed])
                #expect(finding == Self.read(changed.map { [$0] }))
            }
        }
    }

    @Test("An endless message is given up")
    func endlessMessage() {
        let chunk = Self.record(22, [2, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16_000))
        var reader = ServerHelloSearch()
        let findings = (0..<10).lazy.map { _ in reader.read(ByteBuffer(bytes: chunk)) }
        #expect(findings.contains { $0 == .nothing })
    }

    private static func read(_ reads: [[UInt8]]) -> ServerHelloSearch.Finding? {
        var reader = ServerHelloSearch()
        for bytes in reads {
            if let finding = reader.read(ByteBuffer(bytes: bytes)) {
                return finding
            }
        }
        return nil
    }

    private static func hello(in finding: ServerHelloSearch.Finding?) -> ServerHello? {
        guard case .serverHello(let hello)? = finding else {
            return nil
        }
        return hello
    }

    private static func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type, 3, 3, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static func hello(_ version: UInt16, _ extensions: [UInt8]) -> [UInt8] {
        var message = self.hello(legacyVersion: version)
        message += extensions.isEmpty ? [] : [0, UInt8(extensions.count)] + extensions
        message[3] = UInt8(message.count - 4)
        return message
    }

    private static func hello(
        legacyVersion: UInt16 = 0x0303,
        selectedVersion: UInt16? = nil,
        cipherSuite: UInt16 = 0xC02F,
        random: [UInt8] = [UInt8](repeating: 7, count: 32)
    ) -> [UInt8] {
        var body = ByteBuffer()
        body.writeInteger(legacyVersion)
        body.writeBytes(random)
        body.writeBytes([2, 9, 9])
        body.writeInteger(cipherSuite)
        body.writeInteger(UInt8(0))
        if let selectedVersion {
            // An empty extension, then supported_versions.
            body.writeBytes([0, 10, 0, 0x17, 0, 0, 0, 43, 0, 2])
            body.writeInteger(selectedVersion)
        }
        return [2, 0, 0, UInt8(body.readableBytes)] + Array(body.readableBytesView)
    }

    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
}

/// The version of a ServerHello, its extensions, and whether they mean the extended master secret.
private let extensionBlocks: [(UInt16, [UInt8], Bool?)] = [
    (0x0303, [], false),
    (0x0303, [0, 11, 0, 2, 1, 0], false),
    (0x0303, [0, 11, 0, 4, 0, 23, 0, 0], false),
    (0x0303, [0, 23, 0, 0], true),
    (0x0301, [0, 11, 0, 2, 1, 0, 0, 23, 0, 0], true),
    (0x0303, [0, 23, 0, 0, 0, 43, 0, 2, 3, 4], nil),
]

/// RFC 7627 §5.1: the extended master secret's extension is empty.
private let brokenExtensions: [[UInt8]] = [
    [0, 23, 0, 1, 0], [0, 23, 0, 1], [0, 23, 0], [0, 23, 0, 0, 0, 23, 0, 0], [0, 43, 0, 1, 3],
]
