//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a client shows who it is, or a server: the `NSURLAuthenticationMethod…` constants, with their values.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    /// The protocol's own method.
    case `default` = "NSURLAuthenticationMethodDefault"
    /// User and password in the clear (RFC 7617).
    case httpBasic = "NSURLAuthenticationMethodHTTPBasic"
    /// A digest over user and password (RFC 7616).
    case httpDigest = "NSURLAuthenticationMethodHTTPDigest"
    /// A form on a page; the loading system never asks for it by itself.
    case htmlForm = "NSURLAuthenticationMethodHTMLForm"
    /// NTLM.
    case ntlm = "NSURLAuthenticationMethodNTLM"
    /// Kerberos or NTLM, as the two sides agree (RFC 4559).
    case negotiate = "NSURLAuthenticationMethodNegotiate"
    /// A certificate of the client in the handshake.
    case clientCertificate = "NSURLAuthenticationMethodClientCertificate"
    /// The certificates of the server.
    case serverTrust = "NSURLAuthenticationMethodServerTrust"

    /// What a challenge is about, which decides which handler is asked.
    public enum Scope: Sendable, Hashable {
        /// The connection, which tasks share: the session's handler is asked, and without one the task's.
        case session
        /// One request: the task's handler alone is asked.
        case task
    }

    /// What a challenge of this method is about (`URLSession:didReceiveChallenge:` and
    /// `URLSession:task:didReceiveChallenge:` in Apple's NSURLSession.h).
    public var scope: Scope {
        switch self {
        case .ntlm, .negotiate, .clientCertificate, .serverTrust: .session
        case .default, .httpBasic, .httpDigest, .htmlForm: .task
        }
    }

    /// Whether the answer is part of a TLS handshake.
    var isOfTLS: Bool { self == .clientCertificate || self == .serverTrust }
}
