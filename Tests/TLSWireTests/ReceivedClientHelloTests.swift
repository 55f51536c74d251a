//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import TestSupport
import Testing

private let random = [UInt8](repeating: 7, count: 32)

private func serverName(_ name: String, type: UInt8 = 0) -> [UInt8] {
    [type] + ScriptedServer.vector16(Array(name.utf8))
}

/// A hello as a handshake message, with extensions as octets.
private func message(_ extensions: [[UInt8]], session: Int = 32) -> [UInt8] {
    let body: [UInt8] =
        [3, 3] + random + ScriptedServer.vector8([UInt8](repeating: 1, count: session))
        + ScriptedServer.vector16([0x13, 1]) + [1, 0] + ScriptedServer.vector16(Array(extensions.joined()))
    return ScriptedServer.message(1, body)
}

private func named(_ names: [UInt8]) -> [UInt8] {
    ScriptedServer.serverExtension(0, ScriptedServer.vector16(names))
}

@Suite("Hellos of clients")
struct ReceivedClientHelloTests {
    private static let brokenHellos: [(octets: [UInt8], code: String)] = [
        (ScriptedServer.record(message([named(serverName("a.test") + serverName("b.test"))])), "undecodable"),
        (ScriptedServer.record(message([named(serverName("a.test")), named(serverName("b.test"))])), "undecodable"),
        (ScriptedServer.record(message([named(serverName("a.test", type: 1))])), "undecodable"),
        (ScriptedServer.record(message([named(serverName(""))])), "undecodable"),
        (ScriptedServer.record(message([named([])])), "undecodable"),
        (ScriptedServer.record(message([named(serverName("a\u{0}.test"))])), "undecodable"),
        (ScriptedServer.record(message([named(serverName("ä.test"))])), "undecodable"),
        (ScriptedServer.record(message([named(serverName("a.test") + [0])])), "undecodable"),
        (ScriptedServer.record(message([], session: 33)), "undecodable"),
        (ScriptedServer.record(message([[0, 0, 9, 9]])), "undecodable"),
        (ScriptedServer.record(message([]) + message([])), "undecodable"),
        (ScriptedServer.record(ScriptedServer.message(2, [])), "unexpected"),
        (ScriptedServer.record([1, 0xFF, 0xFF, 0xFF]), "message-too-long"),
        (ScriptedServer.record([]), "empty-record"), (ScriptedServer.alert(0), "unexpected"),
        (ScriptedServer.record([1], type: 20), "unexpected"), ([22, 3, 1, 0xFF, 0xFF], "record-too-long"),
        (ScriptedServer.record([0], type: 23), "unexpected"),
        (
            ScriptedServer.record([1, 0, 0x40, 0]) + ScriptedServer.record([UInt8](repeating: 0, count: 16_383)),
            "too-much"
        ),
    ]

    @Test("A hello that can be read in two ways, or breaks the rules, is not read", arguments: brokenHellos)
    func broken(octets: [UInt8], code: String) {
        #expect(throws: FlightError.self) { try ReceivedClientHello.read(octets) }
        do { _ = try ReceivedClientHello.read(octets) } catch { #expect(error.code == code) }
    }

    @Test("What is not TLS is told as such", arguments: ["GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH", "\u{16}\u{2}"])
    func notTLS(text: String) throws {
        #expect(try ReceivedClientHello.read(Array(text.utf8)) == .notTLS)
    }

    @Test("A hello is read in any number of records and pieces, and what follows it is left")
    func pieces() throws {
        let hello = message([named(serverName("Server.test")), ScriptedServer.serverExtension(0xFE0D, [0])])
        let records = ScriptedServer.record(Array(hello.prefix(3))) + ScriptedServer.record(Array(hello.dropFirst(3)))
        for count in records.indices {
            #expect(try ReceivedClientHello.read(Array(records.prefix(count))) == .unfinished)
        }
        guard case .finished(let read) = try ReceivedClientHello.read(records + [99, 99]) else {
            Issue.record("not finished")
            return
        }
        #expect(read.serverName == "Server.test" && read.size == records.count)
    }

    private static let versions13 = ScriptedServer.serverExtension(43, [4, 3, 4, 3, 3])
    private static let versions12 = ScriptedServer.serverExtension(43, [2, 3, 3])
    private static let sessionHellos: [(session: Int, extensions: [[UInt8]], resumes13: Bool, resumes12: Bool)] = [
        (0, [], false, false), (32, [], true, true), (1, [versions12], true, true),
        // TLS 1.3 has identifiers for the looks of it.
        (32, [versions13], false, true), (0, [versions13], false, false),
        (0, [ScriptedServer.serverExtension(35, [])], false, false),
        (0, [ScriptedServer.serverExtension(35, [1])], true, true),
        (0, [versions13, ScriptedServer.serverExtension(35, [1])], true, true),
        (32, [versions13, ScriptedServer.serverExtension(41, [0, 0, 0, 0])], true, true),
    ]

    @Test("A hello that names a session, or brings a ticket or keys of one, may resume it", arguments: sessionHellos)
    func sessions(session: Int, extensions: [[UInt8]], resumes13: Bool, resumes12: Bool) throws {
        let octets = ScriptedServer.record(message(extensions, session: session))
        guard case .finished(let hello) = try ReceivedClientHello.read(octets) else {
            Issue.record("not finished")
            return
        }
        #expect(hello.mayResume(upTo: .tls13) == resumes13)
        #expect(hello.mayResume(upTo: .tls12) == resumes12)
    }

    @Test("Damaged hellos are read in one way, whatever follows them, and however they are cut", arguments: 0..<20)
    func damage(seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let hello = message([named(serverName("server.test")), ScriptedServer.serverExtension(43, [2, 3, 4])])
        let records = ScriptedServer.record(Array(hello.prefix(60))) + ScriptedServer.record(Array(hello.dropFirst(60)))
        for _ in 0..<500 {
            var octets = records
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let index = octets.indices.randomElement(using: &generator) ?? 0
                octets[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let whole = Result { () throws(FlightError) in try ReceivedClientHello.read(octets) }
            let longer = Result { () throws(FlightError) in try ReceivedClientHello.read(octets + octets) }
            if case .success(.finished(let read)) = whole {
                #expect(longer == whole && read.size <= octets.count)
                let exact = Result { () throws(FlightError) in
                    try ReceivedClientHello.read(Array(octets.prefix(read.size)))
                }
                #expect(exact == whole)
            }
            for count in stride(from: 0, to: octets.count, by: 7) {
                let cut = Result { () throws(FlightError) in try ReceivedClientHello.read(Array(octets.prefix(count))) }
                #expect(cut == whole || cut == .success(.unfinished))
            }
        }
    }
}
