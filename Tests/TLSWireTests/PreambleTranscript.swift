//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import Testing

/// What a server says, turn by turn, what it gets to hear, and what comes of it.
struct PreambleTranscript: Sendable, CustomTestStringConvertible {
    let `protocol`: StartTLSProtocol
    let testDescription: String
    /// What the server says, each time it is its turn.
    let server: [[UInt8]]
    /// All that the client says.
    let client: [UInt8]
    let outcome: Outcome

    enum Outcome: Hashable, Sendable {
        case ready
        case waiting
        case refused(StartTLSRefusal.Reason)
    }

    init(
        _ protocol: StartTLSProtocol, _ title: String, server: [String], client: String, _ outcome: Outcome
    ) {
        self.init(
            `protocol`, title, bytes: server.map { Array($0.utf8) }, client: Array(client.utf8), outcome)
    }

    init(
        _ protocol: StartTLSProtocol, _ title: String, bytes: [[UInt8]], client: [UInt8] = [], _ outcome: Outcome
    ) {
        self.protocol = `protocol`
        self.testDescription = "\(`protocol`.rawValue): \(title)"
        self.server = bytes
        self.client = client
        self.outcome = outcome
    }

    /// Holds the conversation with each of the server's turns cut into pieces.
    func play(cut: ([UInt8]) -> [[UInt8]] = { [$0] }) -> (client: [UInt8], outcome: Outcome) {
        var conversation = StartTLSConversation(self.protocol, serverName: "host.test")
        var client = conversation.start()
        var outcome = Outcome.waiting
        for piece in self.server.flatMap(cut) {
            switch conversation.receive(piece) {
            case .wait: break
            case .send(let bytes): client += bytes
            case .sendLast(let bytes):
                client += bytes
                outcome = .ready
            case .ready: outcome = .ready
            case .refused(let refusal): outcome = .refused(refusal.reason)
            }
        }
        return (client, outcome)
    }
}
