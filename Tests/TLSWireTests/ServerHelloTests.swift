//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import TestSupport
import Testing

private let gcm = CipherSuite(rawValue: 0xC02F)
private let aes128 = CipherSuite(rawValue: 0x1301)

private func flight(_ message: [UInt8]) -> FlightOutcome {
    ServerFlightReader.outcome(of: ScriptedServer.record(message))
}

private func hello(_ extensions: [[UInt8]]) -> FlightOutcome {
    flight(ScriptedServer.hello(.tls12, gcm, extensions: extensions))
}

/// Extensions that are not what they should be.
private let brokenExtensions: [[[UInt8]]] = [
    [ScriptedServer.serverExtension(23), ScriptedServer.serverExtension(23)],
    [ScriptedServer.serverExtension(43, [3])], [ScriptedServer.serverExtension(43, [3, 4, 0])],
    [ScriptedServer.serverExtension(51, [0])], [ScriptedServer.serverExtension(51, [0, 29, 0, 9, 1])],
    [ScriptedServer.serverExtension(16, [])], [ScriptedServer.serverExtension(16, [0, 0])],
    [ScriptedServer.serverExtension(16, [0, 2, 2, 0x68])],
    [ScriptedServer.serverExtension(16, [0, 4, 1, 0x68, 1, 0x69])],
    [[0, 23, 0]], [[0, 23, 0, 1]], [ScriptedServer.serverExtension(23, [0])],
]

/// The messages for ephemeral keys, the suites they belong to, and what they say.
private let keyExchanges: [(suite: UInt16, body: [UInt8], group: ServerKeyExchange.Group, scheme: UInt16?)] = [
    (0xC02F, [3, 0, 23, 1, 4, 4, 1, 0, 0], .named(.secp256r1), 0x0401),
    (0xC02F, [1, 0, 9, 9, 9], .explicitCurve, nil),
    (0xC02F, [3, 0xFE, 0xFE, 0], .named(NamedGroup(rawValue: 0xFEFE)), nil),
    // The prime of 17 bits, with zeroes before it; no key signs it in an anonymous suite.
    (0x0034, [0, 4, 0, 1, 0, 1, 0, 1, 2, 0, 1, 3], .prime(bits: 17, nil), nil),
    (0x009E, [0, 1, 0, 0, 0, 0, 0], .prime(bits: 0, nil), nil),
    // RSA keys of export suites (RFC 2246 §7.4.3).
    (0x0003, [0, 2, 0x40, 0, 0, 1, 3, 4, 1, 0, 0], .exportRSA(bits: 15), 0x0401),
]

@Suite("Server hellos and keys")
struct ServerHelloTests {
    @Test("Extensions that are there twice, or cut short, or too long, are not read", arguments: brokenExtensions)
    func broken(extensions: [[UInt8]]) {
        #expect(hello(extensions).error?.code == "undecodable")
        #expect(hello(extensions).flight.hello == nil)
    }

    @Test("A hello with bytes behind it, a long session or a version that never was is not read")
    func damaged() {
        let body = ScriptedServer.hello(.tls12, gcm, extensions: [ScriptedServer.serverExtension(23)]).dropFirst(4)
        #expect(flight(ScriptedServer.message(2, body + [0])).error?.code == "undecodable")
        let long = ScriptedServer.hello(.tls12, gcm, session: [UInt8](repeating: 0, count: 33))
        #expect(flight(long).error?.code == "undecodable")
        for version in [0, 2, 0x02FF] as [UInt16] {
            let hello = ScriptedServer.hello(TLSProtocolVersion(rawValue: version), gcm)
            #expect(flight(hello).error?.code == "undecodable")
        }
        for count in 0..<38 { #expect(flight(ScriptedServer.message(2, Array(body.prefix(count)))).error != nil) }
    }

    @Test("A request for another hello is one, and names the suite and the group")
    func retryRequest() throws {
        let outcome = flight(ScriptedServer.retryRequest(aes128, .x25519MLKEM768))
        let hello = try #require(outcome.flight.hello)
        #expect(hello.isRetryRequest && hello.version == .tls13 && hello.selectedGroup == .x25519MLKEM768)
        #expect(hello.cipherSuite == aes128 && outcome.progress == .finished && outcome.flight.isComplete)
        #expect(hello.usesExtendedMasterSecret == nil)
        #expect(flight(ScriptedServer.retryRequest(aes128, nil)).flight.hello?.selectedGroup == nil)
    }

    @Test("A second hello is never waited for: TLS 1.3 is over with the first")
    func secondRetryRequest() {
        let twice = ScriptedServer.retryRequest(aes128, .x25519) + ScriptedServer.retryRequest(aes128, .secp256r1)
        #expect(flight(twice).flight.hello?.selectedGroup == .x25519)
        #expect(flight(twice).progress == .finished)
    }

    @Test("TLS 1.3's hello names its group with a key")
    func keyShare() {
        let outcome = flight(ScriptedServer.hello13(aes128, .x25519))
        #expect(outcome.flight.hello?.selectedGroup == .x25519 && outcome.flight.hello?.isRetryRequest == false)
    }

    @Test("The protocol is shown in printable characters, whatever was sent")
    func applicationProtocol() {
        let h2 = hello([ScriptedServer.serverExtension(16, [0, 3, 2, 0x68, 0x32])])
        #expect(h2.flight.hello?.applicationProtocol == "h2")
        let hostile = hello([ScriptedServer.serverExtension(16, [0, 3, 2, 0x1B, 0x5B])])
        #expect(hostile.flight.hello?.applicationProtocol == ".[")
    }

    @Test("The warning of a fall back to an older version is seen at the end of the random value only")
    func downgradeSentinel() {
        let sentinel = Array("DOWNGRD".utf8)
        for (end, isSentinel) in [(sentinel + [0], true), (sentinel + [1], true), (sentinel + [2], false)] {
            let random = [UInt8](repeating: 7, count: 24) + end
            let outcome = flight(ScriptedServer.hello(.tls12, gcm, random: random))
            #expect(outcome.flight.hello?.hasDowngradeSentinel == isSentinel)
        }
        let start = flight(ScriptedServer.hello(.tls12, gcm, random: sentinel + [UInt8](repeating: 1, count: 25)))
        #expect(start.flight.hello?.hasDowngradeSentinel == false)
    }

    @Test("Ephemeral keys are read as their suite has them", arguments: keyExchanges)
    func keyExchange(suite: UInt16, body: [UInt8], group: ServerKeyExchange.Group, scheme: UInt16?) {
        let hello = ScriptedServer.hello(.tls12, CipherSuite(rawValue: suite))
        let key = flight(hello + ScriptedServer.message(12, body)).flight.keyExchange
        #expect(key?.group == group && key?.signatureScheme?.rawValue == scheme)
    }

    @Test("The primes of RFC 7919 are told from others of the same length")
    func primes() {
        var prime: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xAD, 0xF8, 0x54, 0x58, 0xA2, 0xBB, 0x4A, 0x9A,
        ]
        prime += [UInt8](repeating: 0xFF, count: 240)
        let hello = ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0x009E))
        let known = flight(hello + ScriptedServer.keyExchange(prime: prime, signedWith: nil))
        #expect(known.flight.keyExchange?.group == .prime(bits: 2048, NamedGroup(rawValue: 0x0100)))
        prime[9] = 0
        let other = flight(hello + ScriptedServer.keyExchange(prime: prime, signedWith: nil))
        #expect(other.flight.keyExchange?.group == .prime(bits: 2048, nil))
    }

    @Test("Before TLS 1.2 it is not said what a key is signed with, and a request for a certificate has one field less")
    func beforeTLS12() {
        let hello = ScriptedServer.hello(.tls10, CipherSuite(rawValue: 0xC013))
        let key = ScriptedServer.keyExchange(.secp256r1, signedWith: nil)
        let request = ScriptedServer.certificateRequest((0..<2_100).map { [UInt8($0 & 0xFF)] }, hasSchemes: false)
        let outcome = flight(hello + key + request + ScriptedServer.done)
        #expect(outcome.flight.keyExchange?.group == .named(.secp256r1))
        #expect(outcome.flight.keyExchange?.signatureScheme == nil)
        #expect(outcome.flight.certificateRequest?.authorityCount == 2_100)
        #expect(outcome.flight.certificateRequest?.authorities.count == 2_000)
    }

    @Test("A status of another kind than was asked for is left alone")
    func otherStatus() {
        let hello = ScriptedServer.hello(.tls12, gcm)
        let outcome = flight(hello + ScriptedServer.status([1, 2], type: 2) + ScriptedServer.done)
        #expect(outcome.flight.ocspResponse == nil && outcome.flight.isComplete)
    }
}
