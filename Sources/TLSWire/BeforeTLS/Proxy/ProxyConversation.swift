//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One conversation with a proxy: bytes in, bytes out, until the connection is through to the server.
///
/// It opens no connection and knows no time, like ``StartTLSConversation``. Names are told to the proxy as they are, and
/// looked up there.
public struct ProxyConversation: Sendable {
    /// The proxy.
    public let proxy: Proxy
    private var driver: NegotiationDriver

    /// What is to be done next.
    public enum Step: Sendable, Hashable {
        /// Wait for more bytes.
        case wait
        /// Send these, then wait.
        case send([UInt8])
        /// What is sent now goes to the server.
        case ready
        /// Give up.
        case refused(ProxyRefusal)
    }

    /// A conversation with a proxy about a server.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - target: The server.
    ///   - serverSpeaksFirst: Whether the server may speak before it is spoken to, as in SMTP. What it says can then be
    ///     in one piece with the proxy's last words; it is in ``remainder``, and otherwise a reason to refuse.
    /// - Throws: ``ProxyRefusal`` when the proxy cannot even be asked.
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
            // The protocol has no form for an address of IPv6.
            guard target.address?.count != 16 else { throw ProxyRefusal(proxy, .unusableTarget) }
            return SOCKS4Negotiation(target, credentials)
        case .socks5, .socks5h: return SOCKSNegotiation(target, credentials)
        }
    }

    /// What the server said already, once the connection is through.
    public var remainder: [UInt8] { self.driver.rest }

    /// What is to be sent before anything was received.
    public mutating func start() -> [UInt8] { self.driver.start() }

    /// Takes the next bytes.
    ///
    /// After ``Step/ready`` the bytes are the server's, and not for here.
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
