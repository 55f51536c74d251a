//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The methods of authentication: the `NSURLAuthenticationMethod…` constants, with their values.
///
/// All methods authenticate the client except ``serverTrust``, which authenticates the server.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    /// The default method of the protocol.
    case `default` = "NSURLAuthenticationMethodDefault"
    /// A user name and password in clear text (RFC 7617).
    case httpBasic = "NSURLAuthenticationMethodHTTPBasic"
    /// A digest of the user name and password (RFC 7616).
    case httpDigest = "NSURLAuthenticationMethodHTTPDigest"
    /// A form on a page. The loading system never asks for it by itself.
    case htmlForm = "NSURLAuthenticationMethodHTMLForm"
    /// NTLM, the challenge-response protocol of Windows.
    case ntlm = "NSURLAuthenticationMethodNTLM"
    /// Kerberos or NTLM, by negotiation (RFC 4559).
    case negotiate = "NSURLAuthenticationMethodNegotiate"
    /// A client certificate in the handshake.
    case clientCertificate = "NSURLAuthenticationMethodClientCertificate"
    /// The certificates of the server.
    case serverTrust = "NSURLAuthenticationMethodServerTrust"

    /// The scope of a challenge, which selects its handler.
    public enum Scope: Sendable, Hashable {
        /// The connection, which tasks share. The session's handler answers, or the task's if there is none.
        case session
        /// One request. Only the task's handler answers.
        case task
    }

    /// The scope of challenges with this method (`URLSession:didReceiveChallenge:` and `URLSession:task:didReceiveChallenge:` in
    /// Apple's NSURLSession.h).
    public var scope: Scope {
        switch self {
        case .ntlm, .negotiate, .clientCertificate, .serverTrust: .session
        case .default, .httpBasic, .httpDigest, .htmlForm: .task
        }
    }

    var isOfTLS: Bool { self == .clientCertificate || self == .serverTrust }
}
