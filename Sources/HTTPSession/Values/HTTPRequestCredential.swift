//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who asks, and how that may be shown.
public struct HTTPRequestCredential: Sendable, Hashable {
    /// A user with a password, or a token.
    public var credential: HTTPCredential
    /// The schemes that may be used, the strongest first that the server offers.
    public var schemes: HTTPAuthenticationSchemes
    /// Whether Basic is sent before a server asks for it.
    ///
    /// - Warning: A server that asks for nothing gets the password then.
    public var sendsBasicUnasked: Bool
    /// Whether it is for the origin of the request alone, even where a policy sends credentials to others: a URL, or an entry about one
    /// host, says who asks there and nowhere else.
    public var isForOriginAlone = false

    /// Who asks.
    ///
    /// - Parameters:
    ///   - credential: A user with a password, or a token.
    ///   - schemes: The schemes that may be used.
    ///   - sendsBasicUnasked: Whether Basic is sent before a server asks for it.
    public init(
        _ credential: HTTPCredential, schemes: HTTPAuthenticationSchemes = [.basic, .digest, .bearer],
        sendsBasicUnasked: Bool = false
    ) {
        self.credential = credential
        self.schemes = schemes
        self.sendsBasicUnasked = sendsBasicUnasked
    }

    func authenticator(for target: HTTPAuthenticationTarget) -> HTTPAuthenticator {
        var authenticator = HTTPAuthenticator(self.credential, allowed: self.schemes, target: target)
        authenticator.sendsBasicUnasked = self.sendsBasicUnasked
        return authenticator
    }
}
