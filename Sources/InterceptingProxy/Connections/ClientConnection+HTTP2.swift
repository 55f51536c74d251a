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
        defer { request.lane.release() }
        var isReported = false
        do {
            let exchange = try Self.exchange(request, in: tunnel, connection: connection, of: proxy)
            isReported = true
            try await exchange.run()
        } catch let refusal as Refusal {
            var record = ProxiedRequest(
                refusal, try? request.head.get().0, method: request.method, in: tunnel, connection: connection,
                version: .http2)
            record.isComplete = await Self.refuse(request, refusal)
            if !isReported { proxy.report(.request(record)) }
        } catch {
            // Without the end of an answer, the stream ends with an error.
        }
    }

    private static func exchange(
        _ request: HTTP2ClientRequest, in tunnel: HTTPURL.Origin, connection: Int, of proxy: ProxyCore
    ) throws(Refusal) -> ProxyExchange {
        let (head, framing): (RequestHead, MessageFraming)
        switch request.head {
        case .success(let read): (head, framing) = read
        case .failure(let error): throw Refusal(error)
        }
        guard case .request(let url) = try ProxyTarget(head, in: tunnel) else {
            throw Refusal(HTTPRequestError.connect)
        }
        try proxy.check(url.host, port: url.port)
        return ProxyExchange(
            proxy: proxy, lane: request.lane, connection: connection, head: head, framing: framing, url: url,
            upgrade: ProxyUpgrade(head, framing, isOnStream: true))
    }

    /// - Returns: Whether the client was there for the answer.
    private static func refuse(_ request: HTTP2ClientRequest, _ refusal: Refusal) async -> Bool {
        let accept = try? request.head.get().0.fields[.accept]
        let answer = ProxyAnswer(refusal, accepting: accept, hasContent: request.method != .head)
        return (try? await request.lane.send(answer)) != nil
    }
}
