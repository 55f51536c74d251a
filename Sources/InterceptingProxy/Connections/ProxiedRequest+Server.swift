//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ProxiedRequest {
    /// A request that is refused before a server is asked.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - head: The request; `nil` where it could not be read.
    ///   - method: The method, where the head could be read that far.
    ///   - tunnel: The server that the client has opened a tunnel to; `nil` outside of one.
    ///   - connection: The number of its connection.
    ///   - version: The version of HTTP that the client speaks.
    init(
        _ refusal: Refusal, _ head: RequestHead?, method: HTTPRequest.Method?, in tunnel: HTTPURL.Origin?,
        connection: Int, version: Version = .http1
    ) {
        let server = head.flatMap { try? RequestTarget($0, in: tunnel) }.map(Server.init) ?? tunnel.map(Server.init)
        self.init(start: Date(), connection: connection, version: version, method: method, server: server)
        self.note(refusal)
    }
}

extension ProxiedRequest.Server {
    init(_ origin: HTTPURL.Origin) {
        self.init(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port)
    }

    init(_ target: RequestTarget) {
        switch target {
        case .tunnel(let host, let port): self.init(scheme: "https", host: host, port: port)
        case .request(let url): self.init(url.origin)
        }
    }
}
