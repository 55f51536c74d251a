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

/// An observer of a proxy's connections and requests, for logs and displays.
package protocol InterceptingProxyObserver: Sendable {
    /// Receives an event. Called from the task of the connection, which waits until the call returns.
    func proxy(_ event: InterceptingProxyEvent)
}

/// A decision of a proxy. It has neither paths nor fields, because they may contain secrets.
package enum InterceptingProxyEvent: Sendable {
    /// A client's connection that has ended.
    case connection(ProxiedConnection)
    /// A request that was answered or has failed.
    case request(ProxiedRequest)
}

/// The record of a client's connection.
package struct ProxiedConnection: Sendable {
    package let start: Date
    /// The number of the connection, from 1.
    package let number: Int
    /// The host that CONNECT named, or `nil` without CONNECT or if the host could not be read.
    package internal(set) var host: Host?
    /// The port that CONNECT named, or `nil` without CONNECT.
    package internal(set) var port: Int?
    package internal(set) var requestCount = 0
    /// `true` if the program ended the tunnel before TLS started. A program that does not trust the root of the proxy does this.
    package internal(set) var endedBeforeTLS = false
    /// The reason that the connection ended early, or `nil` if there was no problem.
    package internal(set) var problem: String?

    init(number: Int, start: Date) { (self.number, self.start) = (number, start) }
}

/// The record of a request.
package struct ProxiedRequest: Sendable {
    /// The outcome of a request.
    package enum Verdict: String, Sendable, Hashable {
        /// The server is trusted, or the rules allow the request without TLS.
        case trusted
        /// Trust or policy refuses the server. It received no request.
        case refused
        /// The request failed for another reason.
        case failed
    }

    /// The HTTP version of the client's connection. The server's connection may use another one.
    package enum Version: String, Sendable, Hashable {
        /// HTTP/1.1 (RFC 9112).
        case http1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
    }

    /// The server that a request is for.
    package struct Server: Sendable, Hashable {
        /// The scheme, `http` or `https`.
        package let scheme: String
        package let host: Host
        package let port: Int
    }

    package let start: Date
    /// The number of the client's connection.
    package let connection: Int
    /// The HTTP version of the client's connection.
    package let version: Version
    /// The method, or `nil` if it could not be read.
    package let method: HTTPRequest.Method?
    /// The server, or `nil` if none could be read.
    package let server: Server?
    package internal(set) var verdict = Verdict.failed
    /// The status code sent to the client, or `nil` if none was sent.
    package internal(set) var status: Int?
    /// The name of the violated rule, as `servertrust explain` takes it, or `nil` if there is none.
    package internal(set) var rule: String?
    /// The reason for a refusal, a failure or a truncated response, in a sentence. `nil` if there is none.
    package internal(set) var reason: String?
    /// The remedy in a sentence, or `nil` if there is none.
    package internal(set) var remedy: String?
    /// The error code of `NSURLErrorDomain`, or `nil` if there is none.
    package internal(set) var appleCode: Int?
    /// The exception of the Info.plist that applied, or `nil` if none did.
    package internal(set) var exception: String?
    /// The note on a trusted connection that no app would negotiate, or `nil` if an app would.
    package internal(set) var note: String?
    package internal(set) var requestSize = 0
    package internal(set) var responseSize = 0
    /// `true` if the response was sent completely.
    package internal(set) var isComplete = false
}
