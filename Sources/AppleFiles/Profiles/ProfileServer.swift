//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server that a profile names.
package struct ProfileServer: Sendable, Hashable {
    /// The requirement that devices have for a server.
    package enum Rule: String, Sendable {
        /// FCP_v2.1, which device management requires from version 27.0 on.
        case management
        /// TLS with a chain that the system trusts.
        case tls
        /// No requirement, because the protocol is exempt or does not use TLS.
        case exempt
        /// A server that is named but not checked, because it does not speak TLS over TCP.
        case notAsked = "not-asked"
    }

    package let payloadType: String
    /// The name of the payload, or its type if it has no name.
    package let payloadName: String
    package let key: String
    /// The URL, or `host:port`.
    package let address: String
    /// The protocol that precedes TLS: `smtp`, `imap` or `pop3`. `nil` if the connection begins with TLS.
    package var startTLS: String?
    package let rule: Rule
    /// The UUIDs of the pinned certificates, one of which must be in the server's path. Empty if the server has no pins.
    package var pins: [String] = []
    /// `true` if revocation must give an answer.
    package var requiresRevocation = false
}

/// A key of a payload that names a server.
struct ProfileServerKey: Sendable {
    /// The form of the value that names a server.
    enum Form: Sendable {
        case url
        /// A host name. Other keys have the port and the use of TLS.
        case host(port: String?, tls: String?, ports: (plain: Int, tls: Int), startTLS: String?)
        /// A host name with a fixed port, or without a port if it is 0.
        case name(Int)
    }

    /// The type of the payloads that have this key.
    let type: String
    /// The keys that lead to the value. `[]` stands for each element of an array.
    let path: [String]
    let form: Form
    let rule: ProfileServer.Rule

    private init(_ type: String, _ path: String, rule: ProfileServer.Rule, form: Form = .url) {
        self.type = type
        self.path = path.split(separator: ".").map(String.init)
        self.form = form
        self.rule = rule
    }

    var name: String { self.path.filter { $0 != "[]" }.joined(separator: ".") }

    private static func host(
        _ port: String?, _ tls: String?, plain: Int, secure: Int, startTLS: String? = nil
    ) -> Form {
        .host(port: port, tls: tls, ports: (plain, secure), startTLS: startTLS)
    }

    /// The keys of the payloads in Apple's device-management schema that name servers.
    static let all: [ProfileServerKey] = [
        ProfileServerKey("com.apple.mdm", "ServerURL", rule: .management),
        ProfileServerKey("com.apple.mdm", "CheckInURL", rule: .management),
        ProfileServerKey("com.apple.security.scep", "PayloadContent.URL", rule: .tls),
        ProfileServerKey("com.apple.security.acme", "DirectoryURL", rule: .management),
        ProfileServerKey("Profile Service", "PayloadContent.URL", rule: .management),
        ProfileServerKey("com.apple.declarations", "items.[].assets.[].url", rule: .management),
        ProfileServerKey("com.apple.dnsSettings.managed", "DNSSettings.ServerURL", rule: .tls),
        ProfileServerKey("com.apple.dnsSettings.managed", "DNSSettings.ServerName", rule: .tls, form: .name(853)),
        ProfileServerKey("com.apple.relay.managed", "Relays.[].HTTP2RelayURL", rule: .tls),
        ProfileServerKey("com.apple.relay.managed", "Relays.[].HTTP3RelayURL", rule: .notAsked),
        ProfileServerKey(
            "com.apple.mail.managed", "IncomingMailServerHostName", rule: .tls,
            form: Self.host(
                "IncomingMailServerPortNumber", "IncomingMailServerUseSSL", plain: 143, secure: 993, startTLS: "imap")),
        ProfileServerKey(
            "com.apple.mail.managed", "OutgoingMailServerHostName", rule: .tls,
            form: Self.host(
                "OutgoingMailServerPortNumber", "OutgoingMailServerUseSSL", plain: 587, secure: 465, startTLS: "smtp")),
        ProfileServerKey(
            "com.apple.eas.account", "Host", rule: .tls, form: Self.host(nil, "SSL", plain: 80, secure: 443)),
        ProfileServerKey(
            "com.apple.ews.account", "Host", rule: .tls, form: Self.host("Port", "SSL", plain: 80, secure: 443)),
        ProfileServerKey(
            "com.apple.ews.account", "ExternalHost", rule: .tls,
            form: Self.host("ExternalPort", "ExternalSSL", plain: 80, secure: 443)),
        ProfileServerKey(
            "com.apple.caldav.account", "CalDAVHostName", rule: .tls,
            form: Self.host("CalDAVPort", "CalDAVUseSSL", plain: 8_008, secure: 8_443)),
        ProfileServerKey(
            "com.apple.carddav.account", "CardDAVHostName", rule: .tls,
            form: Self.host("CardDAVPort", "CardDAVUseSSL", plain: 8_800, secure: 8_843)),
        ProfileServerKey(
            "com.apple.ldap.account", "LDAPAccountHostName", rule: .tls,
            form: Self.host(nil, "LDAPAccountUseSSL", plain: 389, secure: 636)),
        ProfileServerKey(
            "com.apple.subscribedcalendar.account", "SubCalAccountHostName", rule: .tls,
            form: Self.host(nil, "SubCalAccountUseSSL", plain: 80, secure: 443)),
        ProfileServerKey("com.apple.webcontent-filter", "ProxyPACURL", rule: .tls),
        ProfileServerKey("com.apple.proxy.http.global", "ProxyPACURL", rule: .tls),
        ProfileServerKey("com.apple.wifi.managed", "ProxyPACURL", rule: .tls),
        ProfileServerKey(
            "com.apple.wifi.managed", "EAPClientConfiguration.TLSTrustedServerNames.[]", rule: .notAsked, form: .name(0)
        ),
        ProfileServerKey("com.apple.webClip.managed", "URL", rule: .tls),
        ProfileServerKey("com.apple.extensiblesso", "URLs.[]", rule: .tls),
        ProfileServerKey("com.apple.extensiblesso", "URL", rule: .tls),
    ]
}
