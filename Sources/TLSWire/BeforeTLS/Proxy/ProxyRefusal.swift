//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a proxy did not open a connection to a server.
///
/// Its description is a sentence for a person, and ``advice`` names the remedy.
public struct ProxyRefusal: Error, Sendable, Hashable {
    /// The proxy that refused or failed.
    public let proxy: Proxy
    /// The reason for the refusal.
    public let reason: Reason

    /// A reason that a connection through a proxy fails.
    public enum Reason: Sendable, Hashable {
        /// The proxy cannot be reached. The text is the reason in one sentence.
        case unreachable(String)
        /// The proxy's certificate is not trusted, or TLS with the proxy failed. The text is the reason in one sentence.
        case untrusted(String)
        /// The proxy accepted the connection and did not answer in time.
        case silent
        /// The proxy closed the connection before it answered.
        case closed
        /// The proxy requires credentials, and the caller gave none.
        case needsAuthentication
        /// The proxy does not accept the credentials.
        case failedAuthentication
        /// The proxy refuses to connect. The text is its reply, or the meaning of its code.
        case rejected(reply: String)
        /// The answer does not follow the proxy's protocol. The text is its beginning in printable characters.
        case unexpectedAnswer(beginning: String)
        /// The answer exceeds a limit, given in bytes, of a line or in all.
        case tooMuch(limit: Int)
        /// Bytes followed the proxy's agreement, although the client speaks first.
        case extraBytes
        /// The target is neither a name nor an address, or its port is not valid.
        case unusableTarget
        /// The user or the password is too long, or has characters that the protocol does not allow.
        case unusableCredentials
    }

    /// Creates a refusal by a proxy.
    public init(_ proxy: Proxy, _ reason: Reason) {
        self.proxy = proxy
        self.reason = reason
    }
}

extension ProxyRefusal: CustomStringConvertible {
    /// The refusal in a sentence.
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

    /// `true` if another attempt may succeed, because the proxy gave no answer about this connection.
    package var mayPass: Bool {
        switch self.reason {
        case .unreachable, .silent, .closed: true
        default: false
        }
    }

    /// The remedy.
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
