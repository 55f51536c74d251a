//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing
import X509

@testable import InterceptingProxy

@Suite("An Info.plist with ten exceptions", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TransportSecurityMatrixTests {
    private static let exceptions = """
        {"NSAppTransportSecurity": {"NSExceptionDomains": {
            "http.test": {"NSExceptionAllowsInsecureHTTPLoads": true},
            "http-all.test": {"NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true},
            "tls13.test": {"NSExceptionMinimumTLSVersion": "TLSv1.3"},
            "tls13-all.test": {"NSExceptionMinimumTLSVersion": "TLSv1.3", "NSIncludesSubdomains": true},
            "api.tls13-all.test": {"NSExceptionMinimumTLSVersion": "TLSv1.2"},
            "tls11.test": {"NSExceptionMinimumTLSVersion": "TLSv1.1"},
            "rsa.test": {"NSExceptionRequiresForwardSecrecy": false},
            "old.test": {
                "NSExceptionMinimumTLSVersion": "TLSv1.0", "NSExceptionRequiresForwardSecrecy": false,
                "NSIncludesSubdomains": true
            },
            "temporary.test": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true},
            "strict.test": {}
        }}}
        """

    /// What a server speaks.
    enum Server: String, CaseIterable {
        case http, tls13, tls12, tls12WithoutForwardSecrecy, tls11

        var scheme: ATSDestination.Scheme { self == .http ? .http : .https }

        func configure(_ configuration: inout TestTLSServer.Configuration) {
            switch self {
            case .http, .tls13: break
            case .tls12: (configuration.maximumTLSVersion, configuration.cipherSuites) = (.tlsv12, [Self.forwardSecret])
            case .tls12WithoutForwardSecrecy:
                (configuration.maximumTLSVersion, configuration.cipherSuites) = (.tlsv12, [Self.rsa])
            case .tls11: (configuration.maximumTLSVersion, configuration.cipherSuites) = (.tlsv11, [Self.older])
            }
        }

        private static let forwardSecret = CipherSuite(rawValue: 0xC02F)
        private static let rsa = CipherSuite(rawValue: 0x009C)
        private static let older = CipherSuite(rawValue: 0xC013)

        /// Whether requirements let it through, read without the code that judges connections.
        func isAllowed(_ requirements: ATSRequirements) -> Bool {
            guard let minimum = requirements.effectiveMinimumVersion else { return !requirements.requiresTLS }
            return switch self {
            case .http: !requirements.requiresTLS
            case .tls13: true
            case .tls12: minimum <= .tls12 && requirements.cipherSuites.contains(Self.forwardSecret)
            case .tls12WithoutForwardSecrecy: minimum <= .tls12 && requirements.cipherSuites.contains(Self.rsa)
            case .tls11: minimum <= .tls11 && requirements.cipherSuites.contains(Self.older)
            }
        }
    }

    /// The hosts, the exception that decides, and the servers that are let through.
    static let hosts: [(name: String, exception: String?, allowed: Set<Server>)] = [
        ("http.test", "http.test", [.http, .tls13, .tls12]),
        ("a.http.test", nil, [.tls13, .tls12]),
        ("http-all.test", "http-all.test", [.http, .tls13, .tls12]),
        ("a.http-all.test", "http-all.test", [.http, .tls13, .tls12]),
        ("tls13.test", "tls13.test", [.tls13]),
        ("a.tls13.test", nil, [.tls13, .tls12]),
        ("a.tls13-all.test", "tls13-all.test", [.tls13]),
        ("api.tls13-all.test", "api.tls13-all.test", [.tls13, .tls12]),
        ("b.api.tls13-all.test", "tls13-all.test", [.tls13]),
        ("tls11.test", "tls11.test", [.tls13, .tls12, .tls11]),
        ("rsa.test", "rsa.test", [.tls13, .tls12, .tls12WithoutForwardSecrecy]),
        ("a.b.old.test", "old.test", [.tls13, .tls12, .tls12WithoutForwardSecrecy, .tls11]),
        ("temporary.test", "temporary.test", [.tls13, .tls12]),
        ("strict.test", "strict.test", [.tls13, .tls12]),
        ("other.test", nil, [.tls13, .tls12]),
    ]

    @Test("Is explained, and kept with the proxy and without it, in the same way", arguments: Server.allCases)
    func matrix(server: Server) async throws {
        let policy = try Self.policy()
        let trust = ServerTrustSettings(
            trust: TrustConfiguration(anchors: try ProxyScene.authority.get().anchors),
            transportSecurity: .appTransportSecurity(policy))
        try await Self.with(server) { port in
            try await ProxyScene.with(server: port) {
                $0.trust = trust
            } _: { scene in
                var configuration = HTTPSessionConfiguration(trust: trust)
                configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
                let (direct, client) = (HTTPSession(configuration), try scene.session())
                for (index, host) in Self.hosts.enumerated() {
                    let expected = Decision(isAllowed: host.allowed.contains(server), exception: host.exception)
                    let url = "\(server.scheme.rawValue)://\(host.name)/"
                    let explained = policy.explanation(for: try ATSDestination(url: url)).requirements
                    #expect(
                        Decision(isAllowed: server.isAllowed(explained), exception: explained.exception?.name)
                            == expected, "explained: \(url)")
                    let (decision, code) = try await Self.decision(direct, url)
                    #expect(decision == expected, "session: \(url)")
                    let (response, _) = try await client.data(from: url)
                    let record = try #require(try await scene.log.requests(index + 1).last)
                    let noted = Decision(isAllowed: record.verdict == .trusted, exception: record.exception)
                    #expect(noted == expected && record.appleCode == code?.rawValue, "proxy: \(url), \(record)")
                    #expect(response.status == (expected.isAllowed ? 200 : 403), "proxy: \(url)")
                }
            }
        }
    }

    /// The rules of the Info.plist.
    static func policy() throws -> ATSPolicy {
        // Later releases take no version before TLS 1.2.
        ATSPolicy(try InfoPropertyList(Array(Self.exceptions.utf8)), configuration: .init(system: ATSSystem(.iOS, 18)))
    }

    /// What is decided about a server of a host, and by which exception.
    private struct Decision: Hashable {
        let isAllowed: Bool
        let exception: String?
    }

    private static func decision(_ session: HTTPSession, _ url: String) async throws -> (Decision, URLErrorCode?) {
        do {
            let (response, _) = try await session.data(from: url)
            let exception = response.connection.gated.verdict.requirements.exception?.name
            return (Decision(isAllowed: true, exception: exception), nil)
        } catch {
            let refusal = try #require(error.cause as? ServerTrustGateError, "\(error)")
            #expect(error.isRefusal, "\(error)")
            let exception = refusal.verdict.requirements.exception?.name
            return (Decision(isAllowed: false, exception: exception), error.code)
        }
    }

    /// Runs a server for all the hosts.
    static func with(_ server: Server, _ body: (Int) async throws -> Void) async throws {
        guard server != .http else {
            return try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { plain in
                try await body(plain.port)
            }
        }
        let leaf = try ProxyScene.chain { description in
            description.dnsNames = Self.hosts.map(\.name)
            description.keyKind = .rsa2048
            // Without forward secrecy the client encrypts to the key.
            description.keyUsage = KeyUsage(digitalSignature: true, keyEncipherment: true)
        }
        var configuration = TestTLSServer.Configuration(leaf[0])
        server.configure(&configuration)
        try await withTestServer(configuration) { try await body($0.port) }
    }
}
