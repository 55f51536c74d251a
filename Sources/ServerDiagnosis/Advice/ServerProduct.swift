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
