//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The client's side of a protocol that is spoken before TLS.
protocol Negotiation: Sendable {
    /// Returns the first bytes to send. They are empty if the server speaks first.
    mutating func opening() -> [UInt8]

    /// Consumes the next piece of the input.
    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep
}

/// The result of consuming one piece of input.
enum NegotiationStep: Hashable {
    /// More input is needed to complete the piece.
    case incomplete
    /// The piece needs no reply, and another may follow at once.
    case proceed
    /// The client must send these bytes.
    case send([UInt8])
    /// The server or the proxy has agreed, and TLS may begin.
    case ready
    /// TLS may begin as soon as these bytes are sent.
    case sendLast([UInt8])
}

extension NegotiationStep {
    static func send(_ line: String) -> NegotiationStep { .send(Array("\(line)\r\n".utf8)) }
}

/// A driver of a negotiation, which collects the bytes to send and enforces the limits.
struct NegotiationDriver: Sendable {
    private var negotiation: any Negotiation
    private var input = NegotiationInput()
    private var outcome: Result<NegotiationStep, NegotiationError>?
    private let allowsRest: Bool

    /// - Parameter allowsRest: `true` if bytes may follow the last piece at once. They belong to the next protocol.
    init(_ negotiation: any Negotiation, allowsRest: Bool = false) {
        self.negotiation = negotiation
        self.allowsRest = allowsRest
    }

    var rest: [UInt8] {
        guard case .success? = self.outcome else { return [] }
        return Array(self.input.rest)
    }

    mutating func start() -> [UInt8] { self.negotiation.opening() }

    /// Consumes bytes and returns `incomplete`, `send`, `ready` or `sendLast`.
    ///
    /// - Throws: The reason that the negotiation failed. Every later call throws it again.
    mutating func receive(_ bytes: [UInt8]) throws(NegotiationError) -> NegotiationStep {
        if case .failure(let error)? = self.outcome { throw error }
        self.input.append(bytes)
        do throws(NegotiationError) {
            if let outcome = self.outcome {
                guard self.input.isEmpty || self.allowsRest else { throw .extraBytes }
                return try outcome.get()
            }
            return try self.advance()
        } catch {
            self.outcome = .failure(error)
            throw error
        }
    }

    private mutating func advance() throws(NegotiationError) -> NegotiationStep {
        var said: [UInt8] = []
        while true {
            switch try self.negotiation.next(&self.input) {
            case .proceed: continue
            case .send(let bytes): said += bytes
            case .incomplete:
                guard !self.input.isOverLimit else { throw .tooMuch(limit: NegotiationInput.totalLimit) }
                return said.isEmpty ? .incomplete : .send(said)
            case let last:
                // An agreement that was sent before the client asked for it does not belong to this conversation.
                guard said.isEmpty, self.input.isEmpty || self.allowsRest else { throw .extraBytes }
                self.outcome = .success(.ready)
                return last
            }
        }
    }
}
