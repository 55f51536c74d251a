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
    /// Creates the record of a request that is refused before a server is contacted.
    ///
    /// - Parameters:
    ///   - refusal: The refusal.
    ///   - head: The request, or `nil` if it could not be read.
    ///   - method: The method, if that part of the head could be read.
    ///   - tunnel: The server of the tunnel, or `nil` outside of a tunnel.
    ///   - connection: The number of the client's connection.
    ///   - version: The HTTP version of the client's connection.
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
