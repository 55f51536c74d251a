//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire

/// What a prober reads from servers and proxies: however it is cut into pieces, the same comes of it.
///
/// An input is an octet for who is listened to, one for how it is cut, and then the turns in which it came, as chunks.
enum ProbeTarget {
    static let headerCount = 2

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: Self.headerCount)
        let listener = Listener(input.header[0])
        if case .flight = listener { return FlightCheck.run(Array(input.chunks.joined()), input.header[1], &findings) }
        self.converse(listener, input, &findings)
    }

    /// Who is listened to.
    enum Listener {
        case flight
        case startTLS(StartTLSProtocol)
        case proxy(Proxy.Scheme, serverSpeaksFirst: Bool)

        init(_ number: UInt8) {
            let protocols = StartTLSProtocol.allCases
            switch Int(number) % (protocols.count + 8) {
            case let index where index < protocols.count: self = .startTLS(protocols[index])
            case let index where index < protocols.count + 4:
                let index = index - protocols.count
                self = .proxy(index % 2 == 0 ? .http : .socks5, serverSpeaksFirst: index < 2)
            case protocols.count + 7: self = .proxy(.socks4, serverSpeaksFirst: false)
            default: self = .flight
            }
        }
    }

    /// Pieces whose lengths a seed decides, of one octet each where it is zero.
    static func pieces(of bytes: [UInt8], _ seed: UInt8) -> [[UInt8]] {
        var state = UInt32(seed)
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            state = state &* 1_103_515_245 &+ (seed == 0 ? 0 : 12345)
            let piece = rest.prefix(1 + Int(state >> 16 & 0x3F))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

// MARK: - Conversations

extension ProbeTarget {
    private static func converse(_ listener: Listener, _ input: FuzzInput, _ findings: inout Findings) {
        guard let whole = Talk(listener, input.chunks) else { return }
        for seed in [0, input.header[1]] {
            guard let cut = Talk(listener, input.chunks.flatMap { self.pieces(of: $0, seed) }) else { return }
            // What came before it was asked for is refused only where it is seen to have come too early.
            guard !whole.isTooEarly else { continue }
            findings.expect(cut.ending == whole.ending, "cut: \(cut.ending), whole: \(whole.ending)")
            // Who is refused in the same breath may not have come to say all of it.
            let isHeard = whole.isRefused ? cut.said.starts(with: whole.said) : cut.said == whole.said
            findings.expect(isHeard, "other words for the same answers")
            findings.expect(cut.remainder == whole.remainder, "another remainder")
        }
        findings.expect(whole.said.count < 4096, "long speeches")
        findings.expect(whole.ending.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "control characters are shown")
        findings.expect(whole.ending.utf8.count < 600, "much is repeated")
    }

    /// A conversation that was held to its end.
    struct Talk {
        private(set) var said: [UInt8] = []
        private(set) var ending = "waiting"
        private(set) var isTooEarly = false
        private(set) var isRefused = false
        /// What came after the end.
        private(set) var remainder: [UInt8] = []

        init?(_ listener: Listener, _ turns: [[UInt8]]) {
            switch listener {
            case .flight: return nil
            case .startTLS(let spoken): self.talk(StartTLSConversation(spoken, serverName: "host.test"), turns)
            case .proxy(let scheme, let serverSpeaksFirst):
                let credentials = Proxy.Credentials(user: "user", password: "secret")
                let proxy = Proxy(scheme, at: "proxy.test", port: 1080, credentials: credentials)
                guard let target = ProxyTarget("host.test", address: nil, port: 443),
                    let conversation = try? ProxyConversation(proxy, to: target, serverSpeaksFirst: serverSpeaksFirst)
                else { return nil }
                self.talk(conversation, turns)
            }
        }

        private mutating func talk(_ conversation: StartTLSConversation, _ turns: [[UInt8]]) {
            var conversation = conversation
            self.said = conversation.start()
            for turn in turns {
                switch conversation.receive(turn) {
                case .wait: break
                case .send(let bytes): self.said += bytes
                case .sendLast(let bytes):
                    self.said += bytes
                    self.ending = "ready"
                case .ready: self.ending = "ready"
                case .refused(let refusal):
                    self.ending = refusal.description
                    self.isRefused = true
                    self.isTooEarly = refusal.reason == .extraBytes
                }
            }
        }

        private mutating func talk(_ conversation: ProxyConversation, _ turns: [[UInt8]]) {
            var conversation = conversation
            self.said = conversation.start()
            for (index, turn) in turns.enumerated() {
                switch conversation.receive(turn) {
                case .wait: continue
                case .send(let bytes): self.said += bytes
                case .ready:
                    self.ending = "ready"
                    self.remainder = conversation.remainder + turns[(index + 1)...].joined()
                    return
                case .refused(let refusal):
                    self.ending = refusal.description
                    self.isRefused = true
                    self.isTooEarly = refusal.reason == .extraBytes
                }
            }
        }
    }
}
