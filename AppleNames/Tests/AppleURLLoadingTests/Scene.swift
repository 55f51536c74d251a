//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleURLLoading
import HTTPSession
import LoopbackSupport
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Testing

/// The servers of the tests, and what their clients know.
struct Scene: Sendable {
    static let host = "site.example"
    static let shared = Result { try Scene() }

    let authority: TestAuthority
    let clients: TestAuthority
    let root: SecCertificate
    let leaf: SecCertificate
    let chains: [Server: [TestCertificate]]

    /// The certificate of a server.
    enum Server: String, Sendable, CaseIterable { case good, wrongName, expired, unknownRoot, selfSigned }

    private init() throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority(root: .root(commonName: "Another root")))
        var expired = CertificateDescription.leaf(dnsNames: [Self.host])
        expired.setValidity(from: .seconds(-86_400 * 60), lasting: .seconds(86_400 * 30))
        let good = try authority.issue(.leaf(dnsNames: [Self.host]))
        self.chains = [
            .good: [good],
            .wrongName: [try authority.issue(.leaf(dnsNames: ["other.example"]))],
            .expired: [try authority.issue(expired)],
            .unknownRoot: [try other.issue(.leaf(dnsNames: [Self.host])), other.root],
            .selfSigned: [try authority.selfSigned(.leaf(dnsNames: [Self.host]))],
        ]
        self.authority = authority
        self.clients = try TestAuthority(root: .root(commonName: "Clients"))
        self.root = SecCertificate(try authority.root.trustCertificate)
        self.leaf = SecCertificate(try good.trustCertificate)
    }

    func chain(_ server: Server) throws -> [TestCertificate] { try #require(self.chains[server]) }

    /// Settings that lead every name to a server, and trust the authority unless it is said otherwise.
    func configuration(_ server: HTTPSServer, trusts: Bool = true) throws -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.trust = .only(trusts ? [self.root.certificate] : [])
        configuration.transportSecurity = .withoutAppTransportSecurity
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: server.number))
        return configuration
    }

    static var url: URL {
        get throws { try #require(URL(string: "https://\(Self.host)/path?query=1")) }
    }
}

/// The code of a request's error; 0 when it succeeds.
func code(_ session: URLSession, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> Int {
    do {
        let (data, response) = try await session.data(from: try Scene.url, delegate: delegate)
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        return 0
    } catch let error as URLError {
        return error.errorCode
    }
}
