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
        self.key = key
        self.report = report
        self.channel = channel
        self.version = version
    }

    var isActive: Bool { self.channel.isActive }

    /// Whether it carries several requests at a time.
    var isShared: Bool {
        if case .http2 = self.version { true } else { false }
    }

    /// Says how many requests it carries at a time, before that can change; `nil` for one.
    ///
    /// - Parameters:
    ///   - joined: Hears it first.
    ///   - onChange: Hears on the event loop when that changes.
    func join(
        _ joined: @escaping @Sendable (Int?) -> Void,
        onChange: @escaping @Sendable (HTTP2ConnectionHandler.Capacity) -> Void
    ) async {
        guard case .http2(let handler) = self.version else { return joined(nil) }
        let capacity = self.channel.eventLoop.submit {
            handler.value.onChange = onChange
            switch handler.value.capacity {
            case .streams(let count): joined(count)
            case .none:
                joined(1)
                onChange(.none)
            }
        }
        do {
            try await capacity.get()
        } catch {
            // The event loop is gone, and the connection with it.
            joined(1)
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
