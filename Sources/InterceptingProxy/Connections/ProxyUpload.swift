//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import Synchronization

/// The content of one request, as the server takes it: nothing is read from the client before.
final class ProxyUpload: Sendable {
    private struct State {
        var expectsContinue: Bool
        var hasResponse = false
        var ended: (@Sendable () -> Void)?
    }

    private let reader: ClientReader
    private let stream: ClientStream
    private let state: Mutex<State>

    init(_ reader: ClientReader, _ stream: ClientStream, expectsContinue: Bool) {
        (self.reader, self.stream) = (reader, stream)
        self.state = Mutex(State(expectsContinue: expectsContinue))
    }

    /// Says who hears of the client's end, once all of the request is there.
    func onEnd(_ ended: @escaping @Sendable () -> Void) { self.state.withLock { $0.ended = ended } }

    /// Reads a request that has no content to its end.
    func skip() async throws {
        _ = try await self.reader.nextContent()
        self.watch()
    }

    /// The content, each piece when it is asked for.
    var octets: HTTPRequestBody.Octets { HTTPRequestBody.Octets { try await self.next() } }

    private func next() async throws -> ByteBuffer? {
        self.state.withLock { state in
            guard state.expectsContinue, !state.hasResponse else { return }
            state.expectsContinue = false
            // In the lock: behind the response it would be taken for the next one.
            self.stream.send(ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n"))
        }
        guard let octets = try await self.reader.nextContent() else {
            self.watch()
            return nil
        }
        return octets
    }

    /// Says that the response is next.
    ///
    /// - Returns: Whether all of the request was read.
    func beginResponse() -> Bool {
        self.state.withLock { $0.hasResponse = true }
        return self.reader.isAtEnd
    }

    private func watch() {
        guard let ended = self.state.withLock({ $0.ended }) else { return }
        self.stream.watch(ended)
    }
}
