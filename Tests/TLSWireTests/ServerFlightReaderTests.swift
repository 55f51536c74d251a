//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import TestSupport
import Testing

private let rsaGCM = CipherSuite(rawValue: 0xC02F)
private let dheGCM = CipherSuite(rawValue: 0x009E)
private let chain: [[UInt8]] = [[0x30, 1, 1], [0x30, 2, 2, 2]]
private let pkcs1 = SignatureScheme(rawValue: 0x0401)

/// A flight of TLS 1.2 with every message that can be part of one.
private let wholeMessages: [[UInt8]] = [
    ScriptedServer.hello(.tls12, rsaGCM, extensions: [ScriptedServer.serverExtension(23)], session: [1, 2, 3]),
    ScriptedServer.message(23, [0, 0, 0]), ScriptedServer.certificate(chain), ScriptedServer.status([7, 7]),
    ScriptedServer.keyExchange(.x25519, signedWith: pkcs1),
    ScriptedServer.certificateRequest([[0x30, 0], [0x30, 1, 5]]),
    ScriptedServer.done,
]
private let wholeFlight = ScriptedServer.record(Array(wholeMessages.joined()))

private let splitFlights: [[UInt8]] = [
    wholeFlight,
    ScriptedServer.alert(112, level: 1) + wholeMessages.flatMap { ScriptedServer.record($0) },
    ScriptedServer.record(ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), .x25519)),
    ScriptedServer.alert(40),
    Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    wholeFlight + wholeFlight,
    ScriptedServer.record([], type: 22),
    ScriptedServer.record(wholeMessages[2]),
    [22, 3, 3, 0xFF, 0xFF] + wholeFlight,
    ScriptedServer.record(wholeMessages[0] + wholeMessages[2] + wholeMessages[2]),
]

@Suite("Reading a server's flight")
struct ServerFlightReaderTests {
    @Test("However a flight is cut, what is read of it is the same", arguments: splitFlights)
    func split(bytes: [UInt8]) {
        let whole = ServerFlightReader.outcome(of: bytes).withoutQuote
        #expect(ServerFlightReader.outcome(of: bytes.map { [$0] }).withoutQuote == whole)
        for position in 0...bytes.count {
            let pieces = [Array(bytes[..<position]), Array(bytes[position...])]
            #expect(ServerFlightReader.outcome(of: pieces).withoutQuote == whole, "cut at \(position)")
        }
    }

    @Test("A flight cut short is unfinished, and keeps what had come")
    func truncated() {
        for count in 0..<wholeFlight.count {
            #expect(ServerFlightReader.outcome(of: Array(wholeFlight[..<count])) == FlightOutcome(), "\(count)")
        }
        let records = wholeMessages.map { ScriptedServer.record($0) }
        for count in 1..<records.count {
            let outcome = ServerFlightReader.outcome(of: Array(records[..<count]))
            #expect(outcome.progress == .unfinished && outcome.flight.hello?.cipherSuite == rsaGCM)
            #expect((outcome.flight.certificates == chain) == (count > 2))
        }
    }

    @Test("Every message of TLS 1.2 is read")
    func messages() throws {
        let outcome = ServerFlightReader.outcome(of: wholeFlight)
        #expect(outcome.progress == .finished && outcome.error == nil)
        let flight = outcome.flight
        let hello = try #require(flight.hello)
        #expect((hello.version, hello.cipherSuite) == (.tls12, rsaGCM))
        #expect(
            hello.usesExtendedMasterSecret == true && !hello.isRetryRequest && hello.random == ScriptedServer.random)
        #expect(flight.certificates == chain && flight.ocspResponse == [7, 7])
        #expect(flight.keyExchange?.group == .named(.x25519) && flight.keyExchange?.signatureScheme == pkcs1)
        #expect(flight.certificateRequest?.authorities == [[0x30, 0], [0x30, 1, 5]])
        #expect(flight.isComplete && flight.alert == nil && flight.warnings.isEmpty)
    }

    @Test("Messages that are cut up by records, in octets of one each, are put together again")
    func fragmented() {
        let messages = Array(wholeMessages.joined())
        let octets = ServerFlightReader.outcome(of: messages.map { ScriptedServer.record([$0]) })
        #expect(octets == ServerFlightReader.outcome(of: wholeFlight))
        for size in [2, 3, 7, 64] {
            let pieces = stride(from: 0, to: messages.count, by: size).map {
                ScriptedServer.record(Array(messages[$0..<min($0 + size, messages.count)]))
            }
            #expect(ServerFlightReader.outcome(of: Array(pieces.joined())) == octets)
        }
    }

    @Test("A certificate longer than a record comes in several")
    func longCertificate() {
        let long = [[UInt8](repeating: 0x30, count: 40_000)]
        let message = ScriptedServer.certificate(long)
        let records = stride(from: 0, to: message.count, by: 1 << 14).flatMap {
            ScriptedServer.record(Array(message[$0..<min($0 + (1 << 14), message.count)]))
        }
        let outcome = ServerFlightReader.outcome(of: ScriptedServer.record(wholeMessages[0]) + records)
        #expect(outcome.flight.certificates == long)
    }

    @Test("A warning before the hello does not end the flight, and is kept")
    func warning() {
        let outcome = ServerFlightReader.outcome(of: ScriptedServer.alert(112, level: 1) + wholeFlight)
        #expect(outcome.progress == .finished && outcome.flight.isComplete)
        #expect(outcome.flight.warnings.map(\.rawValue) == [112])
        let alone = ServerFlightReader.outcome(of: ScriptedServer.alert(112, level: 1))
        #expect(alone.progress == .unfinished && alone.flight.alert == nil)
    }

    @Test("A fatal alert ends it, and so does the warning that closes")
    func alerts() {
        for (bytes, number) in [(ScriptedServer.alert(40), 40), (ScriptedServer.alert(0, level: 1), 0)]
            as [([UInt8], UInt8)]
        {
            let outcome = ServerFlightReader.outcome(of: bytes)
            #expect(outcome.progress == .finished && outcome.flight.alert?.rawValue == number)
        }
        let late = ServerFlightReader.outcome(of: ScriptedServer.record(wholeMessages[0]) + ScriptedServer.alert(80))
        #expect(late.progress == .finished && late.flight.hello != nil && late.flight.alert?.rawValue == 80)
    }

    @Test("Read up to the ServerHello, an answer ends with it, and not with a request for another hello")
    func upToServerHello() {
        let suite = CipherSuite(rawValue: 0x1301)
        let retry = ScriptedServer.record(ScriptedServer.retryRequest(suite, .x25519))
        let change = ScriptedServer.record([1], type: 20)
        let hello = ScriptedServer.record(ScriptedServer.hello13(suite, .x25519))
        let old = ServerFlightReader.outcome(of: [wholeFlight], endingWith: .serverHello)
        #expect(old.progress == .finished && old.flight.hello?.version == .tls12 && old.flight.certificates == nil)
        for pieces in [[hello], [retry + change + hello], (retry + change + hello).map { [$0] }] {
            let outcome = ServerFlightReader.outcome(of: pieces, endingWith: .serverHello)
            #expect(outcome.progress == .finished && outcome.flight.isComplete)
            #expect(outcome.flight.hello?.isRetryRequest == false)
        }
        let alone = ServerFlightReader.outcome(of: [retry, change], endingWith: .serverHello)
        #expect(alone.progress == .unfinished && !alone.flight.isComplete)
        let twice = ServerFlightReader.outcome(of: [retry, retry, hello], endingWith: .serverHello)
        #expect(twice.error == .unexpected("a second HelloRetryRequest") && !twice.flight.isComplete)
        let request = ScriptedServer.record(ScriptedServer.message(0, []))
        let late = ServerFlightReader.outcome(of: [retry, request], endingWith: .serverHello)
        #expect(late.error == .unexpected("a handshake message of type 0"))
    }

    @Test("What follows the end is not read, however much it is")
    func flood() throws {
        var reader = ServerFlightReader()
        let flood = ScriptedServer.alert(40) + [UInt8](repeating: 0xFF, count: 2 * ServerFlightReader.defaultLimit)
        #expect(try reader.read(flood) == .finished)
        #expect(try reader.read(flood) == .finished)
        #expect(reader.flight.alert?.rawValue == 40)
    }

    @Test("A reader that has failed fails in the same way again")
    func sticky() throws {
        var reader = ServerFlightReader()
        #expect(throws: FlightError.emptyRecord) { try reader.read(ScriptedServer.record([])) }
        #expect(throws: FlightError.emptyRecord) { try reader.read(wholeFlight) }
        var plain = ServerFlightReader()
        let beginning = ServerFlightReader.Progress.notTLS(beginning: "SSH-2.0")
        #expect(try plain.read(Array("SSH-2.0".utf8)) == beginning)
        #expect(try plain.read(wholeFlight) == beginning)
    }
}
