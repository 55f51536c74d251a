//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// The recipient of a credential: the server of a URL, or the proxy on the way to it.
///
/// The recipient determines the status code and the fields of authentication.
public enum HTTPAuthenticationTarget: Sendable, Hashable {
    /// A server, which requests a credential with status 401 and `WWW-Authenticate` (RFC 9110 §11.6).
    case server
    /// A proxy, which requests a credential with status 407 and `Proxy-Authenticate` (RFC 9110 §11.7).
    case proxy

    /// The status of a response that requests a credential.
    public var status: HTTPResponse.Status { self == .server ? .unauthorized : .proxyAuthenticationRequired }

    /// The name of the field with challenges.
    public var challengeField: HTTPField.Name { self == .server ? .wwwAuthenticate : .proxyAuthenticate }

    /// The name of the field with a credential.
    public var credentialField: HTTPField.Name { self == .server ? .authorization : .proxyAuthorization }

    /// The name of the field with authentication info (RFC 7615).
    public var infoField: HTTPField.Name { self == .server ? .authenticationInfo : .proxyAuthenticationInfo }
}
