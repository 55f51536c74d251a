//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server whose settings are known here.
public enum ServerProduct: String, Sendable, Hashable, CaseIterable {
    /// nginx.
    case nginx
    /// Apache's httpd with mod_ssl.
    case apache
    /// HAProxy.
    case haproxy
    /// Envoy.
    case envoy
    /// Caddy.
    case caddy

    /// The name as it calls itself.
    public var title: String {
        switch self {
        case .nginx: "nginx"
        case .apache: "Apache"
        case .haproxy: "HAProxy"
        case .envoy: "Envoy"
        case .caddy: "Caddy"
        }
    }
}

/// How a server writes down what there is to change.
struct ServerSyntax: Sendable {
    /// Where the settings go.
    let place: String
    /// Versions 1.2 and 1.3 of TLS.
    let versions: String
    /// Suites of TLS 1.2 by their names, as they are called there.
    let suites: @Sendable ([String]) -> String
    /// The name of a suite there; `nil` for one that it has not, or would not start with.
    let name: @Sendable (CipherSuite) -> String?
    /// The files of a certificate, with its chain, and of its key.
    let certificate: String
    /// How it comes to bind keys to the handshake.
    let extendedMasterSecret: String
    /// A redirect to https.
    let redirect: String
}

extension ServerProduct {
    var syntax: ServerSyntax {
        switch self {
        case .nginx: .nginx
        case .apache: .apache
        case .haproxy: .haproxy
        case .envoy: .envoy
        case .caddy: .caddy
        }
    }
}
