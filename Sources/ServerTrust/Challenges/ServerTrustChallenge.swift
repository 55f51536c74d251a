//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server about which a handler decides: `NSURLAuthenticationMethodServerTrust` with its protection space.
///
/// The rules have evaluated the server already. A handler can inspect their ``result``, or evaluate ``trust`` in its own way.
public struct ServerTrustChallenge: Sendable {
    /// The host of the connection: a DNS name in ASCII, or an IP address without brackets.
    public let host: String

    /// The port, or `nil` if it is unknown.
    public let port: Int?

    /// The chain as the server sent it, with the policies, anchors and revocation settings of the rules. Evaluate it unchanged, or
    /// change a copy: other anchors, another name, another date.
    public let trust: Trust

    /// The result of the evaluation of ``trust``, or `nil` if the rules evaluated nothing.
    public let result: TrustResult?

    /// The reason why the rules refuse the server, or `nil` if they accept it.
    public let refusal: (any Error)?

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - host: The host of the connection.
    ///   - port: The port, or `nil` if it is unknown.
    ///   - trust: The chain as a trust to evaluate.
    ///   - result: The result of its evaluation.
    ///   - refusal: The reason why the rules refuse the server, or `nil` if they accept it.
    public init(host: String, port: Int?, trust: Trust, result: TrustResult?, refusal: (any Error)?) {
        self.host = host
        self.port = port
        self.trust = trust
        self.result = result
        self.refusal = refusal
    }
}

/// The decision of a handler about a server: the cases of `URLSession.AuthChallengeDisposition` for server trust.
public enum ServerTrustDisposition: Sendable {
    /// Let the rules decide, as without a handler (`performDefaultHandling`).
    case performDefaultHandling

    /// Accept the server with its chain (`useCredential`), if the rules leave that decision to the program.
    case useCredential(ServerTrustCredential)

    /// Refuse the server (`cancelAuthenticationChallenge`), for the handler's own reason.
    case cancelAuthenticationChallenge((any Error)?)
}

/// The acceptance of a chain by a handler: `URLCredential(trust:)`.
///
/// It is valid only for exactly the certificates that the server sent.
public struct ServerTrustCredential: Sendable {
    /// The accepted trust.
    public let trust: Trust

    /// Creates the acceptance of a chain.
    ///
    /// - Parameter trust: The trust of the challenge. With other certificates than the server sent, the server is refused.
    public init(trust: Trust) {
        self.trust = trust
    }

    /// Returns `true` if it accepts exactly the chain that the server sent.
    package func isFor(_ trust: Trust) -> Bool { self.trust.certificates == trust.certificates }
}
