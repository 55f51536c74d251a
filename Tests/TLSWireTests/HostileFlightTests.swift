//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import TestSupport
import Testing

private let suite = CipherSuite(rawValue: 0xC02F)
private let hello = ScriptedServer.hello(.tls12, suite)

/// What breaks the rules, and which of them.
private let brokenFlights: [(bytes: [UInt8], error: FlightError)] = [
    (ScriptedServer.record([]), .emptyRecord),
    (ScriptedServer.record([], type: 21), .emptyRecord),
    ([22, 3, 3, 0x48, 0x01], .recordTooLong(18433)),
    ([22, 3, 3, 0xFF, 0xFF], .recordTooLong(65535)),
    (ScriptedServer.record([2, 0xFF, 0xFF, 0xFF]), .messageTooLong(type: 2, length: 0xFF_FFFF)),
    (ScriptedServer.record(hello + [11, 0xFF, 0xFF, 0xFF]), .messageTooLong(type: 11, length: 0xFF_FFFF)),
    (ScriptedServer.record([0], type: 24), .unexpected("a record of type 24")),
    (ScriptedServer.record([1], type: 20), .unexpected("a record of type 20")),
    (ScriptedServer.record([1], type: 23), .unexpected("a record of type 23")),
    (ScriptedServer.record(ScriptedServer.done), .unexpected("a handshake message of type 14")),
    (ScriptedServer.record(ScriptedServer.message(0, [1])), .unexpected("a handshake message of type 0")),
    (ScriptedServer.record(hello + hello), .unexpected("a handshake message of type 2")),
    (ScriptedServer.record(hello + ScriptedServer.message(20, [])), .unexpected("a handshake message of type 20")),
    (ScriptedServer.record([2], type: 21), .undecodable("a field is missing")),
    (ScriptedServer.record(hello + ScriptedServer.certificate([[]])), .undecodable("a certificate of no octets")),
    (
        ScriptedServer.record(hello + ScriptedServer.certificate([[UInt8]](repeating: [0x30], count: 101))),
        .tooManyCertificates
    ),
    (
        ScriptedServer.record(ScriptedServer.message(2, [3, 3])),
        .undecodable("a field is longer than what holds it")
    ),
]

@Suite("Hostile flights")
struct HostileFlightTests {
    @Test("What breaks the rules is told apart", arguments: brokenFlights)
    func broken(bytes: [UInt8], error: FlightError) {
        #expect(ServerFlightReader.outcome(of: bytes).error == error)
    }

    @Test("Answers that are not TLS are told from it by their first bytes")
    func notTLS() {
        let answers: [([UInt8], String)] = [
            (Array("HTTP/1.1 400 Bad Request".utf8), "HTTP/1.1 400 Bad Request"),
            (Array("SSH-2.0-x\r\n".utf8), "SSH-2.0-x.."),
            // A SERVER-HELLO of SSL 2.0, and a record of a version to come.
            ([0x80, 0x2E, 4, 0, 1, 0, 2], "......."), ([22, 2, 0, 0, 1], "....."), ([0], "."), ([0xFF, 0xFF], ".."),
        ]
        for (bytes, beginning) in answers {
            #expect(ServerFlightReader.outcome(of: bytes).progress == .notTLS(beginning: beginning))
        }
    }

    @Test("A flight in records of one octet each is read")
    func singleOctets() {
        let flight = hello + ScriptedServer.certificate([[UInt8](repeating: 0x30, count: 8_000)]) + ScriptedServer.done
        let outcome = ServerFlightReader.outcome(of: flight.map { ScriptedServer.record([$0]) })
        #expect(outcome == ServerFlightReader.outcome(of: ScriptedServer.record(flight)))
        #expect(outcome.progress == .finished && outcome.error == nil)
    }

    @Test("Records without end come to an end", arguments: [1, 100, 16_384])
    func endless(size: Int) {
        // A message that goes on for as long as one may, so that no message ends it.
        var reader = ServerFlightReader()
        var sent = 0
        var error: FlightError?
        let first = [2, 0, 0xFF, 0xFF] as [UInt8]
        while error == nil, sent < 10 * ServerFlightReader.defaultLimit {
            var content = [UInt8](repeating: 0, count: size)
            if sent == 0 { content = first + content }
            let record = ScriptedServer.record(content)
            sent += record.count
            do { _ = try reader.read(record) } catch let thrown { error = thrown }
        }
        #expect(error != nil)
        #expect(sent <= ServerFlightReader.defaultLimit + 16_384 + 5)
    }

    @Test("Warnings without end come to an end, and so do requests for a hello")
    func warnings() {
        let warnings = [[UInt8]](repeating: ScriptedServer.alert(90, level: 1), count: 9)
        #expect(ServerFlightReader.outcome(of: warnings).error == .tooManyRecords)
        let requests = ScriptedServer.record(ScriptedServer.message(0, []))
        let many = [[UInt8]](repeating: requests, count: TLSRecord.maximumCount + 1)
        #expect(ServerFlightReader.outcome(of: many).error == .tooManyRecords)
        let changes = [[UInt8]](repeating: ScriptedServer.record([1], type: 20), count: TLSRecord.maximumCount)
        #expect(ServerFlightReader.outcome(of: [ScriptedServer.record(hello)] + changes).error == .tooManyRecords)
    }

    @Test("More than is read of one answer is refused, at whatever place it is cut")
    func tooMuch() {
        let limit = ServerFlightReader.defaultLimit
        let message = [11, 3, 0xFF, 0] + [UInt8](repeating: 0, count: limit + 20_000)
        let records = stride(from: 0, to: message.count, by: 16_384).flatMap {
            ScriptedServer.record(Array(message[$0..<min($0 + 16_384, message.count)]))
        }
        let bytes = ScriptedServer.record(hello) + records
        let whole = ServerFlightReader.outcome(of: bytes)
        #expect(whole.error == .tooMuch(limit: limit) && whole.flight.hello != nil)
        for size in [1000, 4096, 65_536] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(ServerFlightReader.outcome(of: pieces) == whole)
        }
    }

    @Test("A chain of a hundred certificates is read, and a message of a thousand extensions is not")
    func many() {
        let chain = (0..<100).map { [0x30, UInt8($0)] }
        let outcome = ServerFlightReader.outcome(of: ScriptedServer.record(hello + ScriptedServer.certificate(chain)))
        #expect(outcome.flight.certificates == chain)
        let extensions = (0..<1000).map { ScriptedServer.serverExtension(UInt16($0) + 100) }
        let many = ScriptedServer.hello(.tls12, suite, extensions: extensions)
        #expect(
            ServerFlightReader.outcome(of: ScriptedServer.record(many)).error
                == .undecodable("more extensions than any client offers"))
    }

    @Test("Flights with one byte changed, and of random bytes, are read alike however they are cut")
    func random() {
        let messages =
            hello + ScriptedServer.certificate([[1, 2, 3]]) + ScriptedServer.status([1])
            + ScriptedServer.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0401))
            + ScriptedServer.certificateRequest([[1]]) + ScriptedServer.done
        let flight = ScriptedServer.record(messages)
        for index in flight.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255)] {
                var changed = flight
                changed[index] = value
                Self.expectTheSameInPieces(changed)
            }
        }
        for _ in 0..<2000 {
            let body = (0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: 0...255) }
            Self.expectTheSameInPieces(body)
            Self.expectTheSameInPieces(ScriptedServer.record(hello + body))
            let type = ([2, 11, 12, 13, 22] as [UInt8]).randomElement() ?? 2
            Self.expectTheSameInPieces(ScriptedServer.record(hello + ScriptedServer.message(type, body)))
        }
    }

    private static func expectTheSameInPieces(_ bytes: [UInt8]) {
        let whole = ServerFlightReader.outcome(of: bytes)
        #expect(ServerFlightReader.outcome(of: bytes.map { [$0] }).withoutQuote == whole.withoutQuote, "\(bytes)")
    }
}
