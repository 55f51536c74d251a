//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One side of a protocol that comes before TLS: the client's.
protocol PreambleDialect: Sendable {
    /// What the client says unasked; empty where the server speaks first.
    mutating func opening() -> [UInt8]

    /// Deals with the next piece of what came.
    mutating func next(_ input: inout PreambleInput) throws(PreambleFault) -> PreambleMove
}

/// What comes of one piece of input.
enum PreambleMove: Hashable {
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

extension PreambleMove {
    static func send(_ line: String) -> PreambleMove { .send(Array("\(line)\r\n".utf8)) }
}

/// What drives a dialect: adds up what it says, and sees to the limits.
struct PreambleMachine: Sendable {
    private var dialect: any PreambleDialect
    private var input = PreambleInput()
    private var outcome: Result<PreambleMove, PreambleFault>?
    private let allowsRest: Bool

    /// What drives a dialect.
    ///
    /// - Parameter allowsRest: Whether more may follow the last piece at once, which is for somebody else then.
    init(_ dialect: any PreambleDialect, allowsRest: Bool = false) {
        self.dialect = dialect
        self.allowsRest = allowsRest
    }

    /// What followed the last piece.
    var rest: [UInt8] {
        guard case .success? = self.outcome else { return [] }
        return Array(self.input.rest)
    }

    mutating func start() -> [UInt8] { self.dialect.opening() }

    /// Takes bytes: one of ``PreambleMove/incomplete``, `send`, `ready` and `sendLast`, or why it is over.
    mutating func receive(_ bytes: [UInt8]) throws(PreambleFault) -> PreambleMove {
        if case .failure(let fault)? = self.outcome { throw fault }
        self.input.append(bytes)
        do throws(PreambleFault) {
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

    private mutating func advance() throws(PreambleFault) -> PreambleMove {
        var said: [UInt8] = []
        while true {
            switch try self.dialect.next(&self.input) {
            case .proceed: continue
            case .send(let bytes): said += bytes
            case .incomplete:
                guard !self.input.isOverLimit else { throw .tooMuch(limit: PreambleInput.totalLimit) }
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
