//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import Synchronization

/// A connection that the gate has accepted and that carries requests.
final class HTTPConnection: Sendable {
    /// The negotiated version of HTTP.
    enum Version: Sendable {
        /// HTTP/1.1 with one request at a time.
        case http1(NIOLoopBound<HTTP1Handler>)
        /// HTTP/2 with as many concurrent requests as the server allows.
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

    /// `true` if the connection carries several requests at a time.
    var isShared: Bool {
        if case .http2 = self.version { true } else { false }
    }

    /// Reports the number of concurrent requests and later changes of it. The number is `nil` for HTTP/1.1.
    ///
    /// - Parameters:
    ///   - joined: A closure that receives the current number.
    ///   - onChange: A closure that receives changes, on the event loop and after the call of `joined`.
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
            // The event loop has shut down and the connection with it.
            joined(1)
        }
    }

    /// The time at which the connection was last returned to the pool.
    var lastUse: NIODeadline { self.use.withLock { $0 } }

    func touch() { self.use.withLock { $0 = .now() } }

    func close() { self.channel.close(promise: nil) }

    /// Removes the HTTP/1.1 handler after a proxy has opened a tunnel to the server.
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
