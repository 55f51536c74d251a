//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TestSupport
import Testing

@testable import TLSProbe
@testable import TLSWire

@Suite("Compressed certificates (RFC 8879)")
struct CompressedCertificateTests {
    /// A zlib stream that stores octets as they are.
    private static func stored(_ octets: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for octet in octets {
            low = (low + Int(octet)) % 65_521
            high = (high + low) % 65_521
        }
        func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
        let length = number(octets.count)
        return [0x78, 0x01, 1, length[1], length[0], ~length[1], ~length[0]] + octets + number(high) + number(low)
    }

    private static func message(_ content: [UInt8], algorithm: UInt16 = 1, length: Int? = nil) -> [UInt8] {
        let count = length ?? content.count
        let announced = [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        return ScriptedServer.message(
            25, ScriptedServer.number(algorithm) + announced + ScriptedServer.vector24(Self.stored(content)))
    }

    /// A server for the hello of Apple's systems, which offers zlib.
    private static func server() throws -> ForgedFlight {
        try ForgedFlight(
            form: ClientHelloForm(
                extensions: [
                    .supportedGroups, .signatureAlgorithms, .keyShare, .supportedVersions, .compressCertificate,
                ], keyShares: [.x25519]))
    }

    @Test("A certificate that is compressed as was offered is read, and its key is proven")
    func honest() throws {
        let server = try Self.server()
        var reader = server.reader
        let octets = try server.octets { $0.certificateMessage = { Self.message($0) } }
        #expect(try reader.read(octets) == .finished)
        #expect(reader.result.isKeyProven)
        #expect(reader.result.certificates == [Array(server.key.publicKey.x963Representation)])
    }

    @Test(
        "One that breaks a rule proves nothing",
        arguments: [
            { Self.message($0, algorithm: 2) }, { Self.message($0, length: $0.count + 1) },
            { Self.message($0, length: $0.count - 1) }, { Self.message($0, length: 0xFF_FFFF) },
            { Self.message($0) + Self.message($0) }, { _ in Self.message([]) },
            { _ in ScriptedServer.message(25, [0, 1, 0, 0, 1, 0, 0, 0]) },
            { ScriptedServer.message(25, [0, 1, 0, 0, UInt8($0.count & 0xFF)] + ScriptedServer.vector24($0)) },
        ] as [@Sendable ([UInt8]) -> [UInt8]])
    func broken(message: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
        let server = try Self.server()
        var reader = server.reader
        #expect(throws: HandshakeError.self) { try reader.read(try server.octets { $0.certificateMessage = message }) }
        #expect(!reader.result.isKeyProven && reader.result.failure != nil)
    }

    @Test("One that was not asked for is an unexpected message")
    func unasked() throws {
        let server = try ForgedFlight()
        var reader = server.reader
        #expect(throws: HandshakeError.malformed(.unexpected("a handshake message of type 25"))) {
            try reader.read(try server.octets { $0.certificateMessage = { Self.message($0) } })
        }
    }
}
