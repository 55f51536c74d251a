//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerDiagnosis
import ServerTrust
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Servers that do not let TLS begin, and what is said of them.
private let unwilling: [(spoken: StartTLSProtocol, answer: [UInt8], message: String)] = [
    (.postgres, Array("N".utf8), "does not offer TLS"),
    (.postgres, Array("Sx".utf8), "went on in the clear"),
    (.ldap, Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "does not speak LDAP"),
    (.xmpp, Array("<stream:stream version='1.0'><stream:features/>".utf8), "does not offer TLS"),
    (.xmpp, ScriptedServer.alert(40), "does not speak XMPP"),
]

/// Proxies that do not let anything through.
private let unwillingProxies: [(url: String, answer: [UInt8], message: String)] = [
    ("socks5", [5, 0xFF], "wants a name and a password"),
    ("http", Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8), "does not connect: 403 Forbidden"),
    ("http", Array("HTTP/1.1 407 Who\r\n\r\n".utf8), "wants a name and a password"),
    ("http", Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + ScriptedServer.alert(40), "went on by itself"),
    ("socks5", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "does not speak SOCKS 5"),
]

@Suite("Probing what speaks something before TLS", .limitedConcurrency, .timeLimit(.minutes(10)))
struct StartTLSTests {
    @Test("A server that does not let TLS begin is asked once", arguments: unwilling)
    func refused(spoken: StartTLSProtocol, answer: [UInt8], message: String) async throws {
        var configuration = Prober.Configuration.patient
        configuration.startTLS = spoken
        for plan in ProbePlan.allCases {
            try await RawServer.with(.answer(answer)) { server in
                let facts = try await Prober(configuration).facts(server.port, plan)
                #expect(facts.failure?.code == "preamble" && facts.failure?.message.contains(message) == true)
                #expect(facts.effort.connections <= 2 && facts.versions.isEmpty)
                #expect(try await server.isIdle())
            }
        }
    }

    @Test(
        "A server that never answers has not refused anything, and the step of its silence is named",
        arguments: [
            (.smtp, .silent, "sent no SMTP greeting"), (.mysql, .silent, "sent no MySQL greeting"),
            (.ldap, .silent, "did not answer the request for TLS in LDAP"),
            (.xmpp, .silent, "did not answer the opening of the stream"),
            (.smtp, .greeting(Array("220 a.test\r\n".utf8)), "did not answer EHLO"),
            (.imap, .greeting(Array("* OK ready\r\n".utf8)), "did not answer CAPABILITY"),
            (.ftp, .greeting(Array("220 a.test\r\n".utf8)), "did not answer AUTH TLS"),
            (.smtp, .greeting(Array("220 a.test\r\n250-a\r\n250 STARTTLS\r\n".utf8)), "did not answer STARTTLS"),
        ] as [(StartTLSProtocol, RawServer.Behaviour, String)])
    func silent(spoken: StartTLSProtocol, behaviour: RawServer.Behaviour, message: String) async throws {
        var configuration = Prober.Configuration.hasty
        configuration.startTLS = spoken
        try await RawServer.with(behaviour) { server in
            let facts = try await Prober(configuration).facts(server.port, .standard)
            #expect(facts.failure?.code == "timed-out-before-tls" && facts.versions.isEmpty && !facts.speaksTLS)
            #expect(facts.failure?.message.contains(message) == true, "\(String(describing: facts.failure))")
            #expect(try await server.isIdle())
        }
    }

    @Test("A server that closes before TLS has not answered an offer", arguments: [StartTLSProtocol.smtp, .postgres])
    func closed(spoken: StartTLSProtocol) async throws {
        var configuration = Prober.Configuration.patient
        configuration.startTLS = spoken
        for behaviour in [RawServer.Behaviour.close, .reset] {
            try await RawServer.with(behaviour) { server in
                let facts = try await Prober(configuration).facts(server.port, .ats)
                #expect(
                    facts.failure.map { ["preamble", "reset"].contains($0.code) } == true,
                    "\(String(describing: facts.failure))")
            }
        }
    }

    @Test(
        "Words without end before TLS are listened to for a while only",
        arguments: [StartTLSProtocol.smtp, .imap, .xmpp])
    func endless(spoken: StartTLSProtocol) async throws {
        var configuration = Prober.Configuration.patient
        configuration.startTLS = spoken
        for words in ["220-hi\r\n", "* OK hi\r\n", "a"] {
            let flood = Array(String(repeating: words, count: 8192).utf8)
            try await RawServer.with(.endless(flood)) { server in
                let facts = try await Prober(configuration).facts(server.port, .ats)
                #expect(facts.failure?.code == "preamble")
                #expect(try await server.isIdle())
            }
        }
    }

    @Test("Every protocol leads to TLS, and to the same facts", arguments: StartTLSProtocol.allCases)
    func every(spoken: StartTLSProtocol) async throws {
        var configuration = Prober.Configuration()
        configuration.startTLS = spoken
        try await PreambleServer.with(.script(for: spoken)) { server in
            let facts = try await Prober(configuration).facts(server.port, .ats)
            #expect(facts.failure == nil && facts.handshake == .completed)
            #expect(facts.supportedVersions == [.tls13, .tls12])
            #expect(facts.chains.map(\.certificates) == [server.chain])
            // HTTP's protocols have no place here.
            #expect(facts.features.applicationProtocols == nil)
        }
    }

    @Test("A standard probe goes through mail's words each time")
    func standard() async throws {
        var configuration = Prober.Configuration()
        configuration.startTLS = .smtp
        try await PreambleServer.with(.script(for: .smtp)) { server in
            let facts = try await Prober(configuration).facts(server.port, .standard)
            #expect(facts.failure == nil && facts.cipherSuites.allSatisfy(\.isComplete))
            #expect(facts.cipherSuites(of: .tls13)?.suites.count == 3)
            #expect(facts.effort.retries == 0 && !facts.effort.isDegraded)
        }
    }
}

@Suite("Probing through proxies", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ProxyTests {
    @Test("A proxy that does not connect is told of, and asked once", arguments: unwillingProxies)
    func refused(scheme: String, answer: [UInt8], message: String) async throws {
        try await RawServer.with(.answer(answer)) { proxy in
            var configuration = Prober.Configuration.patient
            configuration.proxy = Proxy(scheme == "http" ? .http : .socks5, at: "127.0.0.1", port: proxy.port)
            let facts = try await Prober(configuration).facts(443, .standard)
            #expect(facts.failure?.message.contains(message) == true, "\(String(describing: facts.failure))")
            #expect(facts.effort.connections == 1)
            #expect(facts.versions.isEmpty && facts.address == nil, "\(facts)")
            #expect(try await proxy.isIdle())
        }
    }

    @Test("A proxy that stalls has not refused anything", arguments: [Proxy.Scheme.http, .socks5])
    func stalls(scheme: Proxy.Scheme) async throws {
        for answer in [[], [5], Array("HTTP/1.1 2".utf8)] as [[UInt8]] {
            try await RawServer.with(.answer(answer)) { proxy in
                var configuration = Prober.Configuration.hasty
                configuration.proxy = Proxy(scheme, at: "127.0.0.1", port: proxy.port)
                let facts = try await Prober(configuration).facts(443, .ats)
                #expect(facts.versions.isEmpty && facts.failure != nil)
                #expect(facts.effort.connections <= 3)
                #expect(try await proxy.isIdle())
            }
        }
    }

    @Test("A proxy of https is asked over TLS, once its certificate is trusted", arguments: [true, false])
    func secured(isTrusted: Bool) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["proxy.test"])
        description.ipAddresses.append("127.0.0.1")
        let proxy = try authority.issue(description)
        try await PreambleServer.with(PreambleScript("HTTP/1.1 200 OK\r\n\r\n"), behind: proxy) { server in
            var configuration = Prober.Configuration()
            configuration.proxy = Proxy(
                .https, at: "127.0.0.1", port: server.port, credentials: .init(user: "u", password: "p"))
            configuration.proxyTrust = isTrusted ? TrustConfiguration(anchors: try authority.anchors) : nil
            let facts = try await Prober(configuration).facts(443, .ats)
            guard isTrusted else {
                guard case .proxy(let refusal) = facts.failure, case .untrusted(let reason) = refusal.reason else {
                    Issue.record("\(String(describing: facts.failure))")
                    return
                }
                #expect(!reason.isEmpty && facts.effort.connections == 1 && facts.chains.isEmpty)
                return
            }
            #expect(facts.handshake == .completed && facts.supportedVersions == [.tls13, .tls12], "\(facts)")
            #expect(facts.chains.map(\.certificates) == [server.chain])
        }
    }

    @Test("SOCKS and CONNECT lead to TLS, and to mail before it")
    func through() async throws {
        let accepted = "HTTP/1.1 200 OK\r\n\r\n"
        let socks: [[UInt8]] = [[5, 0], [5, 0, 0, 1, 127, 0, 0, 1, 1, 187]]
        var mail = PreambleScript.script(for: .smtp)
        mail.replies = [Array(accepted.utf8) + mail.greeting] + mail.replies
        mail.greeting = []
        let old = PreambleScript(bytes: [[0, 90, 1, 187, 127, 0, 0, 1]])
        let ways: [(Proxy.Scheme, PreambleScript, StartTLSProtocol?)] = [
            (.socks4, old, nil),
            (.http, PreambleScript(accepted), nil), (.socks5, PreambleScript(bytes: socks), nil), (.http, mail, .smtp),
        ]
        for (scheme, script, spoken) in ways {
            try await PreambleServer.with(script) { server in
                var configuration = Prober.Configuration()
                configuration.proxy = Proxy(scheme, at: "127.0.0.1", port: server.port)
                configuration.startTLS = spoken
                let facts = try await Prober(configuration).facts(443, .ats)
                #expect(facts.handshake == .completed && facts.supportedVersions == [.tls13, .tls12])
                #expect(facts.chains.map(\.certificates) == [server.chain])
            }
        }
    }
}
