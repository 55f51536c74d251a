//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes

extension ClientConnection {
    /// Serves the requests of a tunnel with HTTP/2, each in a task of its own, until the connection ends.
    mutating func serve(_ connection: HTTP2ClientConnection, in tunnel: HTTPURL.Origin) async {
        self.proxy.clients.onStop(self.number) { connection.stop() }
        let (proxy, number) = (self.proxy, self.number)
        var count = 0
        await withDiscardingTaskGroup { group in
            for await request in connection.requests {
                count += 1
                group.addTask { await Self.serve(request, in: tunnel, connection: number, of: proxy) }
            }
        }
        self.record.requestCount += count
        self.record.problem = await connection.problem()
    }

    private static func serve(
        _ request: HTTP2ClientRequest, in tunnel: HTTPURL.Origin, connection: Int, of proxy: ProxyCore
    ) async {
        do {
            try await Self.exchange(request, in: tunnel, connection: connection, of: proxy)
        } catch let refusal as Refusal {
            let accept = try? request.head.get().0.fields[.accept]
            let answer = ProxyAnswer(refusal, accepting: accept, hasContent: request.method != .head)
            // A client that has gone is not owed an answer.
            try? await request.lane.send(answer)
        } catch {
            // Without the end of an answer, the stream ends with an error.
        }
        request.lane.release()
    }

    private static func exchange(
        _ request: HTTP2ClientRequest, in tunnel: HTTPURL.Origin, connection: Int, of proxy: ProxyCore
    ) async throws {
        let (head, framing): (RequestHead, MessageFraming)
        switch request.head {
        case .success(let read): (head, framing) = read
        case .failure(let error): throw Refusal(error)
        }
        guard case .request(let url) = try ProxyTarget(head, in: tunnel) else {
            throw Refusal(HTTPRequestError.connect)
        }
        try proxy.check(url.host, port: url.port)
        try await ProxyExchange(
            proxy: proxy, lane: request.lane, connection: connection, head: head, framing: framing, url: url,
            upgrade: nil
        ).run()
    }
}
