//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A conversation with a proxy: bytes in, bytes out, until the connection to the server is open.
///
/// Like ``StartTLSConversation`` it opens no connection and has no clock. The caller sends the bytes of ``start()`` and of each
/// ``Step/send(_:)``, passes received bytes to ``receive(_:)``, and stops at ``Step/ready`` or ``Step/refused(_:)``. The proxy
/// receives names as they are and looks them up itself.
public struct ProxyConversation: Sendable {
    /// The proxy of the conversation.
    public let proxy: Proxy
    private var driver: NegotiationDriver

    /// The next step of the caller.
    public enum Step: Sendable, Hashable {
        /// Wait for more bytes.
        case wait
        /// Send these bytes, then wait.
        case send([UInt8])
        /// The connection is open. All further bytes go to the server.
        case ready
        /// Give up: the proxy refused, or its answer is not valid.
        case refused(ProxyRefusal)
    }

    /// Creates a conversation with a proxy about a server.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - target: The server.
    ///   - serverSpeaksFirst: `true` if the server may speak first, as in SMTP. The server's first bytes may then arrive together
    ///     with the proxy's last, and ``remainder`` has them. Otherwise such bytes are a reason to refuse.
    /// - Throws: ``ProxyRefusal`` if the proxy's protocol cannot express the target or the credentials.
    public init(_ proxy: Proxy, to target: ProxyTarget, serverSpeaksFirst: Bool = false) throws(ProxyRefusal) {
        self.proxy = proxy
        let negotiation = try Self.negotiation(with: proxy, about: target)
        self.driver = NegotiationDriver(negotiation, allowsRest: serverSpeaksFirst)
    }

    private static func negotiation(
        with proxy: Proxy, about target: ProxyTarget
    ) throws(ProxyRefusal) -> any Negotiation {
        let credentials = proxy.credentials
        guard credentials?.isUsable(in: proxy.scheme) != false else { throw ProxyRefusal(proxy, .unusableCredentials) }
        switch proxy.scheme {
        case .http, .https:
            // RFC 7617 §2: the first colon ends the user.
            guard credentials?.user.utf8.contains(0x3A) != true else { throw ProxyRefusal(proxy, .unusableCredentials) }
            return ConnectNegotiation(target, credentials)
        case .socks4, .socks4a:
            // The protocol has no form for IPv6 addresses.
            guard target.address?.count != 16 else { throw ProxyRefusal(proxy, .unusableTarget) }
            return SOCKS4Negotiation(target, credentials)
        case .socks5, .socks5h: return SOCKSNegotiation(target, credentials)
        }
    }

    /// The bytes that the server has sent already, once the connection is open.
    public var remainder: [UInt8] { self.driver.rest }

    /// Returns the bytes to send first.
    public mutating func start() -> [UInt8] { self.driver.start() }

    /// Consumes received bytes and returns the next step.
    ///
    /// After ``Step/ready`` all further bytes are the server's and must not be passed here.
    public mutating func receive(_ bytes: [UInt8]) -> Step {
        do {
            return switch try self.driver.receive(bytes) {
            case .incomplete, .proceed: .wait
            case .send(let bytes), .sendLast(let bytes): .send(bytes)
            case .ready: .ready
            }
        } catch {
            return .refused(ProxyRefusal(self.proxy, ProxyRefusal.Reason(error)))
        }
    }
}

extension ProxyRefusal.Reason {
    init(_ error: NegotiationError) {
        switch error {
        case .needsAuthentication: self = .needsAuthentication
        case .failedAuthentication: self = .failedAuthentication
        case .rejected(let reply): self = .rejected(reply: reply)
        case .unexpected(let beginning): self = .unexpectedAnswer(beginning: beginning)
        case .tooMuch(let limit): self = .tooMuch(limit: limit)
        case .extraBytes: self = .extraBytes
        case .notOffered: self = .rejected(reply: "not offered")
        }
    }
}
