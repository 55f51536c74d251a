//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import Synchronization

/// A connection that the gate let through, and that requests are sent on.
final class HTTPConnection: Sendable {
    /// What was agreed on.
    enum Version: Sendable {
        /// One request at a time.
        case http1(NIOLoopBound<HTTP1Handler>)
        /// As many requests at a time as the server takes.
        case http2(NIOLoopBound<HTTP2ConnectionHandler>)
    }

    let key: ConnectionKey
    let report: ConnectionReport
    let channel: any Channel
    let version: Version
    private let use = Mutex(NIODeadline.now())

    init(_ key: ConnectionKey, _ report: ConnectionReport, channel: any Channel, version: Version) {
        (self.key, self.report, self.channel, self.version) = (key, report, channel, version)
    }

    var isActive: Bool { self.channel.isActive }

    /// Whether it carries several requests at a time.
    var isShared: Bool {
        if case .http2 = self.version { true } else { false }
    }

    /// How many requests it carries at a time; `nil` for one.
    ///
    /// - Parameter onChange: Hears on the event loop when that changes.
    func capacity(
        onChange: @escaping @Sendable (HTTP2ConnectionHandler.Capacity) -> Void
    ) async -> Int? {
        guard case .http2(let handler) = self.version else { return nil }
        let capacity = self.channel.eventLoop.submit {
            handler.value.onChange = onChange
            return handler.value.capacity
        }
        switch try? await capacity.get() {
        case .streams(let count)?: return count
        case .none?, nil: return 1
        }
    }

    /// When it was given back last.
    var lastUse: NIODeadline { self.use.withLock { $0 } }

    func touch() { self.use.withLock { $0 = .now() } }

    func close() { self.channel.close(promise: nil) }

    /// Takes the reader of responses out, after a proxy said that octets pass to the server now.
    func removeHandler() -> EventLoopFuture<Void> {
        let (version, channel) = (self.version, self.channel)
        return channel.eventLoop.flatSubmit {
            guard case .http1(let handler) = version else {
                return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
            }
            return channel.pipeline.syncOperations.removeHandler(handler.value)
        }
    }
}

extension HTTPConnection: Hashable {
    static func == (left: HTTPConnection, right: HTTPConnection) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
