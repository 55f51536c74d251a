// Test a pinning configuration on loopback servers, among them those of people in the middle.

import ServerTrust
import ServerTrustTesting

// snippet.manager
/// What the program uses: pins come in as an argument, so that tests can bring their own.
func makeManager(host: String, pins: [Pin]) throws -> ServerTrustManager {
    try ServerTrustManager(evaluators: [host: .pins(pins)])
}
// snippet.end

func fiveLines() async throws {
    // snippet.middleman
    let decision = try await withPinningServer(.trustedMiddleman) { server in
        let manager = try makeManager(host: server.host, pins: [server.pins.leaf, server.pins.backup])
        return manager.evaluate(try await server.trust(), forHost: server.host)
    }
    assert(!decision.isTrusted)
    // snippet.end
}

func everyScenario() async throws {
    // snippet.everyScenario
    let site = try PinnedSite(host: "api.example.com")
    let manager = try makeManager(host: site.host, pins: [site.pins.leaf, site.pins.backup])

    try await withPinningServers(of: site) { servers in
        for server in servers {
            let decision = manager.evaluate(try await server.trust(), forHost: server.host, port: server.port)
            assert(decision.isTrusted == server.scenario.isTrusted(pinning: [.leaf, .backup]), server.scenario.summary)
        }
    }
    // snippet.end
}

func withoutServers() throws {
    // snippet.withoutServers
    let site = try PinnedSite(host: "api.example.com")
    let manager = try makeManager(host: site.host, pins: [site.pins.leaf])
    let lockedOut = manager.evaluate(try site.trust(for: .rotatedKey), forHost: site.host)
    assert(!lockedOut.isTrusted)  // what a missing backup pin costs
    // snippet.end
}

func oneFault() async throws {
    // snippet.fault
    let result = try await withTestServer(.expired) { server in
        try await server.trust().evaluate()
    }
    assert(result.failure?.primary.code == "expired")
    // snippet.end
}

func ownAuthority() async throws {
    // snippet.authority
    let authority = try TestAuthority()
    let leaf = try authority.issue(.leaf(dnsNames: ["internal.test"]))
    let result = try await withTestServer(TestTLSServer.Configuration(leaf)) { server in
        try await server.trust(forHost: "internal.test", anchors: authority.anchors).evaluate()
    }
    assert(result.isTrusted)
    // snippet.end
}

func configuredBy(_ name: String) throws -> TLSFault {
    // snippet.names
    let fault = try TLSFault(named: name)  // "wrong-host"; an unknown name throws the names there are
    // snippet.end
    return fault
}
