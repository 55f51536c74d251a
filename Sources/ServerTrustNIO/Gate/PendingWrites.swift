//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// The program's writes in their order, held until they may be sent.
struct PendingWrites {
    enum Action {
        case write(NIOAny, EventLoopPromise<Void>?)
        case closeOutput(EventLoopPromise<Void>?)

        func perform(on context: ChannelHandlerContext) {
            switch self {
            case .write(let data, let promise): context.write(data, promise: promise)
            case .closeOutput(let promise): context.close(mode: .output, promise: promise)
            }
        }

        func fail(_ error: any Error) {
            switch self {
            case .write(_, let promise), .closeOutput(let promise): promise?.fail(error)
            }
        }
    }

    let limit: Int
    /// `nil` until the first write, because most programs wait for the handshake and hold nothing.
    private var actions: MarkedCircularBuffer<Action>?
    private var octets = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Holds a write. An empty write counts as one byte because it takes memory.
    ///
    /// - Returns: `true` if the write is held, `false` if it would exceed the limit.
    mutating func append(_ data: ByteBuffer, _ promise: EventLoopPromise<Void>?) -> Bool {
        let (octets, overflow) = self.octets.addingReportingOverflow(max(data.readableBytes, 1))
        guard !overflow, octets <= self.limit else { return false }
        self.octets = octets
        self.append(.write(NIOAny(data), promise))
        return true
    }

    mutating func append(_ action: Action) {
        self.actions = self.actions ?? MarkedCircularBuffer(initialCapacity: 4)
        self.actions?.append(action)
    }

    /// Marks the writes so far for sending.
    mutating func flush() {
        self.actions?.mark()
    }

    /// Removes the first action. `isFlushed` is `true` for the last action that was flushed.
    mutating func popFirst() -> (action: Action, isFlushed: Bool)? {
        let hadMark = self.actions?.hasMark == true
        guard let action = self.actions?.popFirst() else { return nil }
        return (action, hadMark && self.actions?.hasMark == false)
    }
}
