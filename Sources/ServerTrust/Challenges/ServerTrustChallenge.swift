//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server about which a handler decides: `NSURLAuthenticationMethodServerTrust` with its protection space.
public struct ServerTrustChallenge: Sendable {
    /// The host that the connection is for: a DNS name in ASCII, or an IP address without brackets.
    public let host: String

    /// The port; `nil` where it is not known.
    public let port: Int?

    /// The chain as the server sent it, with the policies, anchors and revocation of the rules. Evaluate it as it is, or
    /// change a copy: other anchors, another name, another date.
    public let trust: Trust

    /// What evaluating ``trust`` came to; `nil` where the rules evaluated nothing.
    public let result: TrustResult?

    /// Why the rules refuse the server; `nil` where they let it through.
    public let refusal: (any Error)?

    /// A challenge.
    ///
    /// - Parameters:
    ///   - host: The host that the connection is for.
    ///   - port: The port; `nil` where it is not known.
    ///   - trust: The chain, ready to be evaluated.
    ///   - result: What evaluating it came to.
    ///   - refusal: Why the rules refuse the server; `nil` where they let it through.
    public init(host: String, port: Int?, trust: Trust, result: TrustResult?, refusal: (any Error)?) {
        self.host = host
        self.port = port
        self.trust = trust
        self.result = result
        self.refusal = refusal
    }
}

/// What a handler makes of a challenge: the dispositions of `URLSession.AuthChallengeDisposition` that server trust has.
public enum ServerTrustDisposition: Sendable {
    /// The rules decide, as if there were no handler (`performDefaultHandling`).
    case performDefaultHandling

    /// The server is accepted with its chain (`useCredential`), where the rules leave that to the program.
    ///
    /// - Warning: This overrules an untrusted chain.
    case useCredential(ServerTrustCredential)

    /// The server is refused (`cancelAuthenticationChallenge`), for a reason of the handler's own.
    case cancelAuthenticationChallenge((any Error)?)
}

/// A chain that a handler accepts: `URLCredential(trust:)`.
public struct ServerTrustCredential: Sendable {
    /// What was accepted.
    public let trust: Trust

    /// Accepts a chain.
    ///
    /// - Parameter trust: The trust of the challenge. One with other certificates than the server sent is no answer to it, and
    ///   the server is refused.
    public init(trust: Trust) {
        self.trust = trust
    }

    /// Whether it is about the very chain that a server sent.
    package func isFor(_ trust: Trust) -> Bool { self.trust.certificates == trust.certificates }
}
