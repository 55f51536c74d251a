//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import Testing

private let everyTranscript = mailTranscripts + xmppTranscripts + binaryTranscripts

@Suite("What is said before TLS")
struct PreambleTests {
    @Test("A conversation comes to its end, and says no more than it has to", arguments: everyTranscript)
    func whole(transcript: PreambleTranscript) {
        let (client, outcome) = transcript.play()
        #expect(outcome == transcript.outcome)
        // One that was refused for what came after the end has perhaps not said its last word.
        if outcome != .refused(.extraBytes) { #expect(client == transcript.client) }
    }

    @Test("However a server's words are cut, the result is the same", arguments: everyTranscript)
    func cut(transcript: PreambleTranscript) {
        #expect(transcript.play { $0.map { [$0] } }.outcome == transcript.outcome)
        let longest = transcript.server.map(\.count).max() ?? 0
        for position in 0...longest {
            let played = transcript.play { [Array($0.prefix(position)), Array($0.dropFirst(position))] }
            #expect(played.outcome == transcript.outcome, "cut at \(position)")
        }
    }

    @Test(
        "A server that says TLS at once is told from one that speaks the protocol", arguments: StartTLSProtocol.allCases
    )
    func tls(protocol: StartTLSProtocol) {
        for record in [[0x15, 3, 3, 0, 2, 2, 40], [0x16, 3, 3, 0, 4, 0, 0, 0, 0]] as [[UInt8]] {
            var conversation = StartTLSConversation(`protocol`, serverName: "host.test")
            _ = conversation.start()
            guard case .refused(let refusal) = conversation.receive(record) else {
                Issue.record("not refused")
                continue
            }
            guard case .unexpectedAnswer = refusal.reason else {
                Issue.record("\(refusal)")
                continue
            }
            #expect(refusal.protocol == `protocol`)
            #expect(conversation.receive([]) == .refused(refusal))
            #expect(conversation.receive([0x53]) == .refused(refusal))
        }
    }

    @Test("A server that never comes to an end is not listened to for ever", arguments: StartTLSProtocol.allCases)
    func endless(protocol: StartTLSProtocol) {
        for piece in [
            "a", "220-", "220-x\r\n", "+OK\r\n", "* OK\r\n", "\"A\"\r\n", "<a>", "<", " ", "\u{30}", "\r\n", "101\n",
        ] {
            var conversation = StartTLSConversation(`protocol`, serverName: "host.test")
            _ = conversation.start()
            var isOver = false
            let bytes = Array(String(repeating: piece, count: 100).utf8)
            for _ in 0..<700 {
                if case .refused = conversation.receive(bytes) { isOver = true }
                if isOver { break }
            }
            #expect(isOver, "\(piece)")
        }
    }

    @Test("A line of 4,096 bytes is heard, and not one of a byte more")
    func lines() {
        for (count, isHeard) in [(4092, true), (4093, false)] {
            var conversation = StartTLSConversation(.smtp, serverName: "")
            let step = conversation.receive(Array("220 \(String(repeating: "x", count: count))\n".utf8))
            let refusal = StartTLSRefusal(.smtp, .tooMuch(limit: 4096))
            #expect(step == (isHeard ? .send(Array("EHLO probe.invalid\r\n".utf8)) : .refused(refusal)))
        }
    }

    @Test("Replies of random bytes are survived, and what was refused stays so", arguments: StartTLSProtocol.allCases)
    func random(protocol: StartTLSProtocol) {
        for _ in 0..<300 {
            var conversation = StartTLSConversation(`protocol`, serverName: "host.test")
            _ = conversation.start()
            var refusal: StartTLSConversation.Step?
            for _ in 0..<8 {
                let alphabet = Array("2501234 -\r\n+OK*<>'\"/ab.ES\u{0}\u{30}\u{78}".utf8)
                let bytes = (0..<Int.random(in: 0...40)).map { _ in
                    Bool.random() ? UInt8.random(in: 0...255) : alphabet.randomElement() ?? 0
                }
                let step = conversation.receive(bytes)
                if let refusal { #expect(step == refusal) }
                if case .refused = step { refusal = step }
            }
        }
    }

    @Test("Conversations with one byte changed are survived, and what was refused stays so", arguments: everyTranscript)
    func changed(transcript: PreambleTranscript) {
        for turn in transcript.server.indices {
            for index in transcript.server[turn].indices {
                var conversation = StartTLSConversation(transcript.protocol, serverName: "host.test")
                _ = conversation.start()
                var refusal: StartTLSConversation.Step?
                for (number, bytes) in transcript.server.enumerated() {
                    var bytes = bytes
                    if number == turn { bytes[index] = UInt8.random(in: 0...255) }
                    let step = conversation.receive(bytes)
                    if let refusal { #expect(step == refusal) }
                    if case .refused = step { refusal = step }
                }
            }
        }
    }

    @Test("A go-ahead that came before it was asked for does not count")
    func tooEarly() {
        var conversation = StartTLSConversation(.smtp, serverName: "")
        let step = conversation.receive(Array("220 hi\r\n250 STARTTLS\r\n220 go\r\n".utf8))
        #expect(step == .refused(StartTLSRefusal(.smtp, .extraBytes)))
    }

    @Test("A server's name cannot say anything but a name")
    func names() {
        var hostile = StartTLSConversation(.xmpp, serverName: "a'/><x y=\"&\r\n\u{0} b\u{85}\u{2028}ü")
        let opening = String(decoding: hostile.start(), as: UTF8.self)
        #expect(opening.contains("to='a&apos;/&gt;&lt;xy=&quot;&amp;bü' xmlns="))
        #expect(!opening.contains { $0.isNewline || $0 == "\0" })
        var empty = StartTLSConversation(.xmppServer, serverName: " \r\n")
        #expect(String(decoding: empty.start(), as: UTF8.self).contains("<stream:stream xmlns='jabber:server'"))
        var long = StartTLSConversation(.xmpp, serverName: String(repeating: "a", count: 100_000))
        #expect(long.start().count < 500)
    }

    @Test("Every refusal says what happened, and what to do")
    func messages() {
        let reasons: [StartTLSRefusal.Reason] = [
            .notOffered, .rejected(reply: "554 no"), .unexpectedAnswer(beginning: ""),
            .unexpectedAnswer(beginning: "SSH"), .tooMuch(limit: 4096), .extraBytes,
        ]
        for `protocol` in StartTLSProtocol.allCases {
            #expect((1...65535).contains(`protocol`.defaultPort))
            var conversation = StartTLSConversation(`protocol`, serverName: "host.test")
            #expect(conversation.start().isEmpty == `protocol`.serverSpeaksFirst)
            for reason in reasons {
                let refusal = StartTLSRefusal(`protocol`, reason)
                #expect(refusal.description.contains(`protocol`.title) && !refusal.advice.isEmpty)
            }
        }
        #expect("\(StartTLSRefusal(.smtp, .rejected(reply: "554 no")))" == "The server refused in SMTP: 554 no")
        #expect(StartTLSProtocol(rawValue: "xmpp-server") == .xmppServer)
    }

    @Test("Replies that say “later” are told from those that say “no”")
    func later() {
        #expect(StartTLSRefusal(.smtp, .rejected(reply: "421 4.7.0 Too many connections")).mayPass)
        #expect(!StartTLSRefusal(.smtp, .rejected(reply: "554 no")).mayPass)
        #expect(!StartTLSRefusal(.imap, .rejected(reply: "4 too many")).mayPass)
        #expect(!StartTLSRefusal(.smtp, .notOffered).mayPass)
    }
}
