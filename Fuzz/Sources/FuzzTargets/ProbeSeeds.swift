//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire

extension ProbeTarget {
    static func seeds() -> [[UInt8]] { self.flights + self.conversations + self.proxies }

    private static let flightNumber = UInt8(StartTLSProtocol.allCases.count + 4)

    private static func input(_ number: Int, _ turns: [[UInt8]]) -> [UInt8] {
        FuzzInput(header: [UInt8(number), 7], chunks: turns).encoded
    }

    private static var flights: [[UInt8]] {
        let gcm = CipherSuite(rawValue: 0xC02F)
        let hello = ScriptedServer.hello(
            .tls12, gcm,
            extensions: [ScriptedServer.serverExtension(23), ScriptedServer.serverExtension(16, [0, 3, 2, 104, 50])])
        let rest = [
            ScriptedServer.certificate([[0x30, 1, 1], [0x30, 2, 2, 2]]), ScriptedServer.status([7, 7]),
            ScriptedServer.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0401)),
            ScriptedServer.certificateRequest([[0x30, 0]]), ScriptedServer.done,
        ]
        let old = ScriptedServer.hello(.tls10, CipherSuite(rawValue: 0x0033))
        let prime = ScriptedServer.keyExchange(prime: [UInt8](repeating: 0xFB, count: 16), signedWith: nil)
        let whole = ScriptedServer.record(hello + rest.joined())
        let flights: [[UInt8]] = [
            whole, ScriptedServer.alert(112, level: 1) + whole,
            ScriptedServer.record(hello) + rest.flatMap { ScriptedServer.record($0) },
            ScriptedServer.record(ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), .x25519)),
            ScriptedServer.record(ScriptedServer.hello13(CipherSuite(rawValue: 0x1302), .secp256r1)),
            ScriptedServer.record(old + prime + ScriptedServer.done, version: 0x0301), ScriptedServer.alert(40),
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            (hello + rest.joined()).flatMap { ScriptedServer.record([$0]) },
        ]
        return flights.map { self.input(Int(self.flightNumber), [$0]) }
    }

    /// What servers say of each protocol, turn by turn, when all goes well.
    private static var conversations: [[UInt8]] {
        let texts: [StartTLSProtocol: [String]] = [
            .smtp: ["220-hi\r\n220 there\r\n", "250-host\r\n250 STARTTLS\r\n", "220 go\r\n"],
            .lmtp: ["220 hi\r\n", "250 STARTTLS\r\n", "454 no\r\n"],
            .imap: ["* OK hi\r\n", "* CAPABILITY IMAP4rev1 STARTTLS\r\nA OK done\r\n", "B OK go\r\n"],
            .pop3: ["+OK hi\r\n", "+OK\r\nSTLS\r\n.\r\n", "+OK go\r\n"],
            .sieve: ["\"IMPLEMENTATION\" \"x\"\r\n\"STARTTLS\"\r\nOK\r\n", "OK go\r\n"],
            .nntp: ["200 hi\r\n", "101 list\r\nSTARTTLS\r\n.\r\n", "382 go\r\n"],
            .ftp: ["220 hi\r\n", "500 what\r\n", "234 go\r\n"],
            .xmpp: [
                "<?xml version='1.0'?><stream:stream version='1.0'><stream:features><starttls xmlns='a'/></stream:features>",
                "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            ],
            .xmppServer: ["<stream:stream version='1.0'><stream:error><host-unknown/></stream:error>"],
            .postgres: ["S"],
        ]
        var turns = texts.mapValues { $0.map { Array($0.utf8) } }
        turns[.ldap] = [[0x30, 12, 2, 1, 1, 0x78, 7, 10, 1, 0, 4, 0, 4, 0]]
        let greeting = [10, 0x38, 0, 1, 0, 0, 0] + [UInt8](repeating: 0x41, count: 8) + [0, 0xFF, 0xFF, 8, 2, 0]
        turns[.mysql] = [[UInt8(greeting.count), 0, 0, 0] + greeting]
        return StartTLSProtocol.allCases.enumerated().map { self.input($0.offset, turns[$0.element] ?? []) }
    }

    private static var proxies: [[UInt8]] {
        let first = StartTLSProtocol.allCases.count
        let accepted = Array("HTTP/1.1 100 Wait\r\n\r\nHTTP/1.1 200 OK\r\nVia: x\r\n\r\n".utf8)
        let socks: [[UInt8]] = [[5, 2], [1, 0], [5, 0, 0, 1, 127, 0, 0, 1, 4, 56]]
        return [
            self.input(first, [accepted, Array("220 hi\r\n".utf8)]),
            self.input(first + 2, [accepted]), self.input(first + 2, [Array("HTTP/1.1 407 No\r\n\r\n".utf8)]),
            self.input(first + 1, socks + [[0x32]]), self.input(first + 3, socks),
            self.input(first + 3, [[5, 2], [1, 1]]), self.input(first + 3, [[5, 0], [5, 4, 0, 3]]),
        ]
    }
}
