//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// What a credential is for: the server of a URL, or the proxy on the way to it.
public enum HTTPAuthenticationTarget: Sendable, Hashable {
    /// A server, which asks with status 401 and `WWW-Authenticate` (RFC 9110 §11.6).
    case server
    /// A proxy, which asks with status 407 and `Proxy-Authenticate` (RFC 9110 §11.7).
    case proxy

    /// The status of a response that asks for a credential.
    public var status: HTTPResponse.Status { self == .server ? .unauthorized : .proxyAuthenticationRequired }

    /// The field that a challenge is in.
    public var challengeField: HTTPField.Name { self == .server ? .wwwAuthenticate : .proxyAuthenticate }

    /// The field that a credential is in.
    public var credentialField: HTTPField.Name { self == .server ? .authorization : .proxyAuthorization }

    /// The field that tells what came of a credential (RFC 7615).
    public var infoField: HTTPField.Name { self == .server ? .authenticationInfo : .proxyAuthenticationInfo }
}
