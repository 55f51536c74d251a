//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
package import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Hears what a proxy does and why: for logs and for people.
package protocol InterceptingProxyObserver: Sendable {
    /// Something was decided. Called from the task of the connection, which waits meanwhile.
    func proxy(_ event: InterceptingProxyEvent)
}

/// What a proxy has decided. Neither paths nor fields are in it, as they may hold what is secret.
package enum InterceptingProxyEvent: Sendable {
    /// A connection of a client, once it has ended.
    case connection(ProxiedConnection)
    /// A request, once it is answered or has failed.
    case request(ProxiedRequest)
}

/// What became of a connection of a client.
package struct ProxiedConnection: Sendable {
    /// When it began.
    package let start: Date
    /// Its number, from 1.
    package let number: Int
    /// The host that CONNECT named; `nil` for a connection without CONNECT, or where it could not be read.
    package internal(set) var host: Host?
    /// The port that CONNECT named.
    package internal(set) var port: Int?
    /// The number of requests on it.
    package internal(set) var requestCount = 0
    /// Whether the program ended the tunnel before TLS began, as one does that does not trust the root of the proxy.
    package internal(set) var endedBeforeTLS = false
    /// Why it ended before its time; `nil` where nothing was wrong.
    package internal(set) var problem: String?

    init(number: Int, start: Date) { (self.number, self.start) = (number, start) }
}

/// What became of a request.
package struct ProxiedRequest: Sendable {
    /// What was decided.
    package enum Verdict: String, Sendable, Hashable {
        /// The server is trusted, or the rules let the request pass without TLS.
        case trusted
        /// Trust or policy refuses it. The server received no request.
        case refused
        /// Something else failed.
        case failed
    }

    /// The version of HTTP that the client speaks. What the server speaks may be another.
    package enum Version: String, Sendable, Hashable {
        /// HTTP/1.1 (RFC 9112).
        case http1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
    }

    /// What a request is for.
    package struct Server: Sendable, Hashable {
        /// The scheme, `http` or `https`.
        package let scheme: String
        /// The host.
        package let host: Host
        /// The port.
        package let port: Int
    }

    /// When it began.
    package let start: Date
    /// The number of its connection.
    package let connection: Int
    /// The version of HTTP that the client speaks.
    package let version: Version
    /// The method; `nil` where it could not be read.
    package let method: HTTPRequest.Method?
    /// The server; `nil` where the request names none that could be read.
    package let server: Server?
    /// What was decided.
    package internal(set) var verdict = Verdict.failed
    /// The status that the client got; `nil` where it got none.
    package internal(set) var status: Int?
    /// The name of the rule that speaks against it, as `servertrust explain` takes it; `nil` without one.
    package internal(set) var rule: String?
    /// What speaks against it, or why the server's response was cut, in a sentence; `nil` where nothing does.
    package internal(set) var reason: String?
    /// What to do about it, in a sentence; `nil` where nothing is.
    package internal(set) var remedy: String?
    /// The code of `NSURLErrorDomain`; `nil` without one.
    package internal(set) var appleCode: Int?
    /// The exception of the Info.plist that decided; `nil` where no exception did.
    package internal(set) var exception: String?
    /// The octets of content that the client sent.
    package internal(set) var requestSize = 0
    /// The octets of content that the client was sent.
    package internal(set) var responseSize = 0
    /// Whether the client got all of the response.
    package internal(set) var isComplete = false
}
