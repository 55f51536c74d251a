//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting

/// The certificates of the tests, made once.
enum Fixture {
    static let host = "server.test"
    static let servers = Result { try TestAuthority() }
    static let clients = Result { try TestAuthority(root: .root(commonName: "Clients")) }
    static let server = Result { try Self.servers.get().issue(.leaf(dnsNames: [Self.host])) }
    static let client = Result {
        try Self.clients.get().issue(
            .client(commonName: "client", uniformResourceIdentifiers: ["spiffe://example.org/web"]))
    }

    /// The pin of no key of the tests.
    static let otherPin = Result { try Pin(digest: [UInt8](repeating: 1, count: 32)) }

    /// A gate for servers, with a certificate of the client's or without.
    static func gate(
        identity: TestCertificate? = nil, _ change: (inout ServerTrustSettings) throws -> Void = { _ in }
    ) throws -> ServerTrustGate {
        var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: try Self.servers.get().anchors))
        settings.tls.applicationProtocols = ["h2"]
        if let identity {
            settings.tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: identity.der, format: .der))]
            settings.tls.privateKey = .privateKey(try identity.key)
        }
        try change(&settings)
        return ServerTrustGate(settings)
    }

    /// A gate for clients.
    static func clientGate(_ change: (inout ClientTrustSettings) throws -> Void = { _ in }) throws -> ClientTrustGate {
        let server = try Self.server.get()
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: server.der, format: .der))],
            privateKey: .privateKey(try server.key))
        var settings = ClientTrustSettings(trust: TrustConfiguration(anchors: try Self.clients.get().anchors), tls: tls)
        try change(&settings)
        return try ClientTrustGate(settings)
    }
}

extension TestCertificate {
    var key: NIOSSLPrivateKey {
        get throws { try NIOSSLPrivateKey(bytes: Array(self.privateKey.pem.utf8), format: .pem) }
    }
}
