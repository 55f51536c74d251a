//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import ServerTrustNIO

extension ClientConnection {
    /// Serves the HTTP/2 requests of a tunnel, each in a task of its own, until the connection ends.
    mutating func serve(_ connection: HTTP2ClientConnection, in tunnel: HTTPURL.Origin) async {
        self.proxy.clients.onStop(self.number) { connection.stop() }
        let source = RequestSource(proxy: self.proxy, connection: self.number, owned: self.owned, tunnel: tunnel)
        var count = 0
        await withDiscardingTaskGroup { group in
            for await request in connection.requests {
                count += 1
                group.addTask { await Self.serve(request, of: source) }
            }
        }
        self.record.requestCount += count
        self.record.problem = await connection.problem()
    }

    /// The values that all requests of a connection share.
    private struct RequestSource {
        let proxy: ProxyCore
        let connection: Int
        let owned: OwnedConnections
        let tunnel: HTTPURL.Origin
    }

    private static func serve(_ request: HTTP2ClientRequest, of source: RequestSource) async {
        defer { request.lane.release() }
        var isReported = false
        do {
            let exchange = try Self.exchange(request, of: source)
            isReported = true
            try await exchange.run()
        } catch let refusal as Refusal {
            let refusal = refusal.spelled(by: source.proxy.configuration.spelling)
            var record = ProxiedRequest(
                refusal, try? request.head.get().0, method: request.method, in: source.tunnel,
                connection: source.connection, version: .http2)
            record.isComplete = await Self.refuse(request, refusal)
            if !isReported { source.proxy.report(.request(record)) }
        } catch {
            // The stream ends with an error, because its response is incomplete.
        }
    }

    private static func exchange(
        _ request: HTTP2ClientRequest, of source: RequestSource
    ) throws(Refusal) -> ProxyExchange {
        let (head, framing): (RequestHead, MessageFraming)
        switch request.head {
        case .success(let read): (head, framing) = read
        case .failure(let error): throw Refusal(error)
        }
        guard case .request(let url) = try RequestTarget(head, in: source.tunnel) else {
            throw Refusal(HTTPRequestError.connect)
        }
        try source.proxy.check(url.host, port: url.port)
        return ProxyExchange(
            proxy: source.proxy, lane: request.lane, connection: source.connection, owned: source.owned, head: head,
            framing: framing, url: url, upgrade: ProxyUpgrade(head, framing, isOnStream: true))
    }

    /// Sends a refusal.
    ///
    /// - Returns: `true` if the answer was sent, `false` if the client has closed the stream.
    private static func refuse(_ request: HTTP2ClientRequest, _ refusal: Refusal) async -> Bool {
        let accept = try? request.head.get().0.fields[.accept]
        let answer = ProxyAnswer(refusal, accepting: accept, hasContent: request.method != .head)
        return (try? await request.lane.send(answer)) != nil
    }
}
