//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One side of a protocol that comes before TLS: the client's.
protocol Negotiation: Sendable {
    /// What the client says unasked; empty where the server speaks first.
    mutating func opening() -> [UInt8]

    /// Deals with the next piece of what came.
    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep
}

/// What comes of one piece of input.
enum NegotiationStep: Hashable {
    /// A piece is not complete.
    case incomplete
    /// There is nothing to be said, and perhaps another piece.
    case proceed
    /// Something is to be said.
    case send([UInt8])
    /// The other side has let TLS begin.
    case ready
    /// TLS may begin as soon as this is said.
    case sendLast([UInt8])
}

extension NegotiationStep {
    static func send(_ line: String) -> NegotiationStep { .send(Array("\(line)\r\n".utf8)) }
}

/// Drives a negotiation: collects what it sends, and keeps the limits.
struct NegotiationDriver: Sendable {
    private var negotiation: any Negotiation
    private var input = NegotiationInput()
    private var outcome: Result<NegotiationStep, NegotiationError>?
    private let allowsRest: Bool

    /// A driver of a negotiation.
    ///
    /// - Parameter allowsRest: Whether more may follow the last piece at once; it belongs to what comes after.
    init(_ negotiation: any Negotiation, allowsRest: Bool = false) {
        self.negotiation = negotiation
        self.allowsRest = allowsRest
    }

    /// What followed the last piece.
    var rest: [UInt8] {
        guard case .success? = self.outcome else { return [] }
        return Array(self.input.rest)
    }

    mutating func start() -> [UInt8] { self.negotiation.opening() }

    /// Takes bytes: one of ``NegotiationStep/incomplete``, `send`, `ready` and `sendLast`, or why it is over.
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
                // What was let through before it was asked for has not come from this conversation.
                guard said.isEmpty, self.input.isEmpty || self.allowsRest else { throw .extraBytes }
                self.outcome = .success(.ready)
                return last
            }
        }
    }
}
