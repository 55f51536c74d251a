//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TestSupport
import Testing

@testable import TLSProbe
@testable import TLSWire

/// What a signature of the genuine key was made over, in place of what the client sees.
struct RecordedSignature: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it proves that the server holds the key.
    var isProof = false
    var clientRandom: [UInt8]?
    var serverRandom: [UInt8]?
    var parameters: [UInt8]?

    private static let other = [UInt8](repeating: 0xA5, count: 32)

    static let all = [
        RecordedSignature(testDescription: "for another client's random value", clientRandom: Self.other),
        RecordedSignature(testDescription: "with another random value of the server", serverRandom: Self.other),
        RecordedSignature(testDescription: "of another handshake", clientRandom: Self.other, serverRandom: Self.other),
        RecordedSignature(testDescription: "of another ephemeral key", parameters: Self.key(of: 7)),
        RecordedSignature(testDescription: "over the key alone", clientRandom: [], serverRandom: []),
        RecordedSignature(testDescription: "for this handshake", isProof: true),
    ]

    static func key(of octet: UInt8) -> [UInt8] {
        [3] + ScriptedServer.number(NamedGroup.x25519.rawValue)
            + ScriptedServer.vector8([UInt8](repeating: octet, count: 32))
    }

    /// The flight of a server of TLS 1.2 that shows the genuine certificate, and this signature.
    func flight(for random: [UInt8], of key: P256.Signing.PrivateKey, certificate: [UInt8]) throws -> [UInt8] {
        let content =
            (self.clientRandom ?? random) + (self.serverRandom ?? ScriptedServer.random)
            + (self.parameters ?? Self.key(of: 9))
        let signature = Array(try key.signature(for: content).derRepresentation)
        return ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02B))
            + ScriptedServer.certificate([certificate])
            + ScriptedServer.message(12, Self.key(of: 9) + [4, 3] + ScriptedServer.vector16(signature))
            + ScriptedServer.done
    }
}

@Suite("Replaying what the holder of a key said to others")
struct ReplayTests {
    private let server: ForgedFlight

    init() throws { self.server = try ForgedFlight() }

    private var certificate: [UInt8] { Array(self.server.key.publicKey.x963Representation) }

    @Test("A signature in passing proves the key for its own handshake only", arguments: RecordedSignature.all)
    func inPassing(signature: RecordedSignature) throws {
        var offer = ProbeOffer([.tls12], [CipherSuite(rawValue: 0xC02B)])
        (offer.groups, offer.signatureSchemes) = ([.x25519], [SignatureScheme(rawValue: 0x0403)])
        var chance = SystemRandomNumberGenerator()
        let random = offer.clientHello(using: &chance).random
        let octets = try signature.flight(for: random, of: self.server.key, certificate: self.certificate)
        let flight = ServerFlightReader.outcome(of: ScriptedServer.record(octets)).flight
        let agreement = Agreement(offer: offer, hello: try #require(flight.hello), flight: flight)
        var notes = ProbeObservations()
        notes.add(agreement)
        notes.prove(agreement, by: BareKeyVerifier(), random: random)
        #expect(notes.chains.map(\.certificates) == [[self.certificate]])
        #expect(notes.chains.map(\.isProven) == [signature.isProof])
    }

    @Test("A handshake of TLS 1.2 proves the key by its own signature only", arguments: RecordedSignature.all)
    func tls12(signature: RecordedSignature) throws {
        let octets = try signature.flight(
            for: self.server.hello.random, of: self.server.key, certificate: self.certificate)
        var reader = self.server.reader
        if signature.isProof {
            #expect(try reader.read(ScriptedServer.record(octets)) == .finished)
        } else {
            #expect(throws: HandshakeError.badSignature) { try reader.read(ScriptedServer.record(octets)) }
        }
        #expect(reader.result.isKeyProven == signature.isProof)
    }

    @Test("A recorded CertificateVerify proves nothing, though all around it fits the hello", arguments: [false, true])
    func certificateVerify(isSameHello: Bool) throws {
        // A thief records a handshake with the holder of the key, and shows its signature in one of its own.
        let other = isSameHello ? self.server : try ForgedFlight()
        var recorded: [UInt8] = []
        _ = try other.octets { script in
            script.signer = self.server.key
            script.certificate = self.certificate
            script.arrange = { messages in
                recorded = messages[2]
                return messages
            }
        }
        #expect(recorded.first == 15)
        var reader = self.server.reader
        let octets = try self.server.octets { $0.arrange = { [$0[0], $0[1], recorded, $0[3]] } }
        #expect(throws: HandshakeError.badSignature) { try reader.read(octets) }
        #expect(!reader.result.isKeyProven)
    }

    @Test("A recorded flight proves the key to the client that it was for, and to no other")
    func flight() throws {
        let octets = try self.server.octets()
        var first = self.server.reader
        #expect(try first.read(octets) == .finished && first.result.isKeyProven)
        // Even a client that used its keys twice would be told apart, by its random value.
        var hello = self.server.hello
        hello.random = hello.random.map { $0 ^ 1 }
        var second = HandshakeReader(hello, keys: self.server.keys, verifiedBy: BareKeyVerifier())
        #expect(throws: HandshakeError.self) { try second.read(octets) }
        #expect(!second.result.isKeyProven && second.result.certificates.isEmpty)
    }
}
