//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import ServerTrust

@Suite("Protection spaces")
struct ProtectionSpaceTests {
    /// A change of one property.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether a space with it is another one, and credentials for it are others.
        var isOtherSpace = true
        var hasOtherCredentials = true
        let apply: @Sendable (inout ProtectionSpace) throws -> Void
    }

    @Test("Spaces differ in each property, and credentials by six of them", arguments: changes)
    func changing(change: Change) throws {
        let space = try TestSpace.basic()
        var other = space
        try change.apply(&other)
        #expect((space == other) == !change.isOtherSpace)
        #expect((space.key == other.key) == !change.hasOtherCredentials)
        #expect(Set([space, other]).count == (change.isOtherSpace ? 2 : 1))
    }

    @Test(
        "Credentials travel securely inside TLS and in its handshake, and nowhere else",
        arguments: [
            ("https", .httpBasic, nil, true), ("HTTPS", .httpDigest, nil, true), ("ftps", .default, nil, true),
            ("http", .httpBasic, nil, false), ("http", .httpDigest, nil, false), ("http", .ntlm, nil, false),
            (nil, .httpBasic, nil, false), ("https", .httpBasic, .https, false), (nil, .httpBasic, .http, false),
            ("https", .serverTrust, nil, true), (nil, .clientCertificate, nil, true),
        ] as [(String?, AuthenticationMethod, ProtectionSpace.ProxyType?, Bool)])
    func security(
        scheme: String?, method: AuthenticationMethod, proxy: ProtectionSpace.ProxyType?, isSecure: Bool
    ) throws {
        var space = try TestSpace.space(method)
        space.protocol = scheme.map(ProtectionSpace.ServerProtocol.init(rawValue:))
        space.proxyType = proxy
        #expect(space.receivesCredentialSecurely == isSecure)
        #expect(space.isProxy == (proxy != nil))
    }

    @Test("Methods have the values of Apple's constants")
    func methods() {
        #expect(AuthenticationMethod.allCases.count == 8)
        #expect(AuthenticationMethod.httpBasic.rawValue == "NSURLAuthenticationMethodHTTPBasic")
        #expect(AuthenticationMethod.ntlm.rawValue == "NSURLAuthenticationMethodNTLM")
    }
}

private let changes: [ProtectionSpaceTests.Change] = [
    .init(testDescription: "host in another case", isOtherSpace: false, hasOtherCredentials: false) {
        $0.host = try Host("API.Example.COM.")
    },
    .init(testDescription: "another host") { $0.host = try Host("api.example.org") },
    .init(testDescription: "another port") { $0.port = 8443 },
    .init(testDescription: "no port") { $0.port = nil },
    .init(testDescription: "another protocol") { $0.protocol = .http },
    .init(testDescription: "the protocol in another case", isOtherSpace: false, hasOtherCredentials: false) {
        $0.protocol = .init(rawValue: "HTTPS")
    },
    .init(testDescription: "another realm") { $0.realm = "Staff" },
    .init(testDescription: "an empty realm") { $0.realm = "" },
    .init(testDescription: "no realm") { $0.realm = nil },
    .init(testDescription: "another method") { $0.authenticationMethod = .httpDigest },
    .init(testDescription: "a proxy") { $0.proxyType = .http },
    .init(testDescription: "authorities", hasOtherCredentials: false) { $0.distinguishedNames = [[0x30, 0]] },
    .init(testDescription: "no authorities in a list", hasOtherCredentials: false) { $0.distinguishedNames = [] },
    .init(testDescription: "a server's certificates", hasOtherCredentials: false) {
        $0.serverTrust = try TestTrust.trust(TestChain())
    },
]

/// Spaces and credentials of tests.
enum TestSpace {
    static func space(_ method: AuthenticationMethod, host: String = "api.example.com") throws -> ProtectionSpace {
        ProtectionSpace(host: try Host(host), port: 443, protocol: .https, realm: "staff", method: method)
    }

    static func basic(_ host: String = "api.example.com") throws -> ProtectionSpace {
        try Self.space(.httpBasic, host: host)
    }

    /// A space of a server's trust, with the certificates of a chain.
    static func trust(_ chain: TestChain) throws -> ProtectionSpace {
        var space = try Self.space(.serverTrust, host: "www.example.com")
        (space.realm, space.serverTrust) = (nil, try TestTrust.trust(chain))
        return space
    }

    static func credential(
        _ user: String = "ada", password: String = "swordfish", persistence: Credential.Persistence = .session
    ) -> Credential {
        Credential(user: user, password: password, persistence: persistence)
    }
}

/// An identity that has a secret.
struct TestIdentity: CredentialIdentity {
    let certificates: [Certificate]
    var key = "swordfish"
}
