//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a proxy did not let a connection through.
public struct ProxyRefusal: Error, Sendable, Hashable {
    /// The proxy.
    public let proxy: Proxy
    /// What went wrong.
    public let reason: Reason

    /// What can go wrong at a proxy.
    public enum Reason: Sendable, Hashable {
        /// It cannot be reached: why, in one sentence.
        case unreachable(String)
        /// Its certificate is not trusted, or TLS with it failed: why, in one sentence.
        case untrusted(String)
        /// It took the connection, and said nothing in time.
        case silent
        /// It ended the connection before it had answered.
        case closed
        /// It asks for credentials, and no credentials were given.
        case needsAuthentication
        /// It does not accept who asks.
        case failedAuthentication
        /// It does not connect: why, in its own words or those of its protocol.
        case rejected(reply: String)
        /// It speaks something else: how that begins, in printable characters.
        case unexpectedAnswer(beginning: String)
        /// It said more than is listened to: the limit in bytes, of a line or of everything.
        case tooMuch(limit: Int)
        /// It went on after it had let the connection through, where the client is the one to begin.
        case extraBytes
        /// What to connect to is no name and no address, or has no port that is one.
        case unusableTarget
        /// The name or password is too long, or has characters that the protocol has not.
        case unusableCredentials
    }

    /// A refusal.
    public init(_ proxy: Proxy, _ reason: Reason) {
        self.proxy = proxy
        self.reason = reason
    }
}

extension ProxyRefusal: CustomStringConvertible {
    /// What happened, as a sentence.
    public var description: String {
        let proxy = "The proxy \(self.proxy)"
        return switch self.reason {
        case .unreachable(let reason): "\(proxy) cannot be reached: \(reason)"
        case .untrusted(let reason): "There is no TLS with the proxy \(self.proxy): \(reason)"
        case .silent: "\(proxy) took the connection and gave no answer in time."
        case .closed: "\(proxy) ended the connection before it had answered."
        case .needsAuthentication: "\(proxy) wants a name and a password."
        case .failedAuthentication: "\(proxy) does not accept the name and the password."
        case .rejected(let reply): "\(proxy) does not connect: \(reply)"
        case .unexpectedAnswer(""): "\(proxy) does not speak \(self.proxy.scheme.title)."
        case .unexpectedAnswer(let beginning):
            "\(proxy) does not speak \(self.proxy.scheme.title), it answered: \(beginning)"
        case .tooMuch(let limit): "\(proxy) said more than \(limit) bytes before it connected."
        case .extraBytes: "\(proxy) went on by itself after it had connected."
        case .unusableTarget: "\(proxy) cannot be asked for this: it is no name and no address, or has no port."
        case .unusableCredentials: "The name and the password for \(self.proxy) cannot be told to it."
        }
    }

    /// Whether it may go otherwise the next time: nothing was said about this connection.
    package var mayPass: Bool {
        switch self.reason {
        case .unreachable, .silent, .closed: true
        default: false
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self.reason {
        case .unreachable: "Check the proxy's address and port, and that it runs. Or connect without a proxy."
        case .untrusted: "See whether the proxy's certificate is for this host, and whether its root is trusted."
        case .silent, .closed:
            "Check that the URL has the proxy's kind and port right, and that the proxy can reach this server."
        case .needsAuthentication: "Write them into the proxy's URL, before the host: user:password@."
        case .failedAuthentication: "Check them. Special characters need escapes, such as %40."
        case .rejected: "See whether the proxy may connect to this host and port, and can reach it."
        case .unexpectedAnswer: "See whether the URL has the proxy's kind and port right."
        case .tooMuch: "See what answers at this port: no proxy says that much."
        case .extraBytes: "See whether the server speaks first: then it does not speak TLS, or wants STARTTLS."
        case .unusableTarget: "Write a name in ASCII or an address, of IPv4 for SOCKS 4, and a port from 1 to 65535."
        case .unusableCredentials:
            "Keep each below 256 bytes, without control characters, and the name for HTTP without a colon."
        }
    }
}
