//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import ServerTrust

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Hears what a proxy does and why: for logs and for people.
public protocol InterceptingProxyObserver: Sendable {
    /// Something was decided. Called from the task of the connection, which waits meanwhile.
    func proxy(_ event: InterceptingProxyEvent)
}

/// What a proxy has decided. Neither paths nor fields are in it, as they may hold what is secret.
public enum InterceptingProxyEvent: Sendable {
    /// A connection of a client, once it has ended.
    case connection(ProxiedConnection)
    /// A request, once it is answered or has failed.
    case request(ProxiedRequest)
}

/// What became of a connection of a client.
public struct ProxiedConnection: Sendable {
    /// When it began.
    public let start: Date
    /// Its number, from 1.
    public let number: Int
    /// The host that CONNECT named; `nil` for a connection without CONNECT, or where it could not be read.
    public internal(set) var host: Host?
    /// The port that CONNECT named.
    public internal(set) var port: Int?
    /// The number of requests on it.
    public internal(set) var requestCount = 0
    /// Whether the program ended the tunnel before TLS began, as one does that does not trust the root of the proxy.
    public internal(set) var endedBeforeTLS = false
    /// Why it ended before its time; `nil` where nothing was wrong.
    public internal(set) var problem: String?

    init(number: Int, start: Date) { (self.number, self.start) = (number, start) }
}

/// What became of a request.
public struct ProxiedRequest: Sendable {
    /// What was decided.
    public enum Verdict: String, Sendable, Hashable {
        /// The server is trusted, or the rules let the request pass without TLS.
        case trusted
        /// Trust or policy refuses it. The server received no request.
        case refused
        /// Something else failed.
        case failed
    }

    /// The version of HTTP that the client speaks. What the server speaks may be another.
    public enum Version: String, Sendable, Hashable {
        /// HTTP/1.1 (RFC 9112).
        case http1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
    }

    /// What a request is for.
    public struct Server: Sendable, Hashable {
        /// The scheme, `http` or `https`.
        public let scheme: String
        /// The host.
        public let host: Host
        /// The port.
        public let port: Int
    }

    /// When it began.
    public let start: Date
    /// The number of its connection.
    public let connection: Int
    /// The version of HTTP that the client speaks.
    public let version: Version
    /// The method; `nil` where it could not be read.
    public let method: HTTPRequest.Method?
    /// The server; `nil` where the request names none that could be read.
    public let server: Server?
    /// What was decided.
    public internal(set) var verdict = Verdict.failed
    /// The status that the client got; `nil` where it got none.
    public internal(set) var status: Int?
    /// The name of the rule that speaks against it, as `servertrust explain` takes it; `nil` without one.
    public internal(set) var rule: String?
    /// What speaks against it, or why the server's response was cut, in a sentence; `nil` where nothing does.
    public internal(set) var reason: String?
    /// What to do about it, in a sentence; `nil` where nothing is.
    public internal(set) var remedy: String?
    /// The code of `NSURLErrorDomain`; `nil` without one.
    public internal(set) var appleCode: Int?
    /// The exception of the Info.plist that decided; `nil` where no exception did.
    public internal(set) var exception: String?
    /// The octets of content that the client sent.
    public internal(set) var requestSize = 0
    /// The octets of content that the client was sent.
    public internal(set) var responseSize = 0
    /// Whether the client got all of the response.
    public internal(set) var isComplete = false
}
