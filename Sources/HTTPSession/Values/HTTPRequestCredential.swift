//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The credential of a request, with the schemes that may be used for it.
public struct HTTPRequestCredential: Sendable, Hashable {
    /// The user name and password, or the token.
    public var credential: HTTPCredential
    /// The schemes that may be used. The strongest one that the server offers is used.
    public var schemes: HTTPAuthenticationSchemes
    /// `true` if Basic is sent before a server requests it.
    ///
    /// - Warning: A server that requests no credential then receives the password as well.
    public var sendsBasicUnasked: Bool
    /// `true` if the credential is sent only to the origin of the request, even if a policy sends credentials to others.
    ///
    /// This is appropriate for a credential from a URL or from an entry for a single host.
    public var isForOriginAlone = false

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - credential: The user name and password, or the token.
    ///   - schemes: The schemes that may be used.
    ///   - sendsBasicUnasked: `true` if Basic is sent before a server requests it.
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
