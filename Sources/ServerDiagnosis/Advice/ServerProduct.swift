//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSWire

/// A server product with a known configuration syntax.
///
/// Pass one to ``ServerAdvice/snippet(for:)`` for the configuration of a change.
public enum ServerProduct: String, Sendable, Hashable, CaseIterable {
    /// The web server nginx.
    case nginx
    /// Apache's httpd with mod_ssl.
    case apache
    /// The load balancer HAProxy.
    case haproxy
    /// The proxy Envoy.
    case envoy
    /// The web server Caddy.
    case caddy
    /// Microsoft's IIS.
    case iis
    /// Apache Tomcat, which Jamf Pro runs in.
    case tomcat
    /// F5's BIG-IP.
    case f5
    /// NetScaler.
    case netscaler
    /// The mail server Postfix.
    case postfix
    /// The mail server Dovecot.
    case dovecot

    /// The name of the product, in its own spelling.
    public var title: String {
        switch self {
        case .nginx: "nginx"
        case .apache: "Apache"
        case .haproxy: "HAProxy"
        case .envoy: "Envoy"
        case .caddy: "Caddy"
        case .iis: "IIS"
        case .tomcat: "Tomcat"
        case .f5: "F5 BIG-IP"
        case .netscaler: "NetScaler"
        case .postfix: "Postfix"
        case .dovecot: "Dovecot"
        }
    }
}

extension ServerProduct {
    /// `true` for a mail server, which has neither application protocols nor redirects.
    package var isMailServer: Bool { self == .postfix || self == .dovecot }

    /// Returns the usual product of a protocol before TLS, or `nil` for a web server and for protocols without one here.
    package static func usual(for startTLS: StartTLSProtocol?) -> ServerProduct? {
        switch startTLS {
        case .smtp, .lmtp: .postfix
        case .imap, .pop3, .sieve: .dovecot
        case .nntp, .ftp, .ldap, .xmpp, .xmppServer, .postgres, .mysql, nil: nil
        }
    }

    /// `true` if the tests of this package load the settings into the product itself. Those of other products follow their manuals,
    /// and their snippets say so.
    public var isTested: Bool {
        switch self {
        case .nginx, .apache, .haproxy, .caddy, .tomcat, .postfix, .dovecot: true
        case .envoy, .iis, .f5, .netscaler: false
        }
    }

    var syntax: ServerSyntax {
        switch self {
        case .nginx: .nginx
        case .apache: .apache
        case .haproxy: .haproxy
        case .envoy: .envoy
        case .caddy: .caddy
        case .iis: .iis
        case .tomcat: .tomcat
        case .f5: .f5
        case .netscaler: .netscaler
        case .postfix: .postfix
        case .dovecot: .dovecot
        }
    }
}
