//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

private let primes = (0x0100...0x0104).map { NamedGroup(rawValue: $0) }
private let many: [NamedGroup] = [.x25519, .secp256r1, .x448, .secp521r1, .secp384r1] + primes
/// A curve of TLS 1.3 that no server here has.
private let absent = NamedGroup(rawValue: 0x001F)

@Suite("Groups that a server lists")
struct DeclaredGroupsTests {
    @Test(
        "A list that samples speak against is not believed, and each group is asked for",
        arguments: [
            many + [absent], Array(many.dropLast()), Array(many.dropFirst()), many.reversed(), [.x25519], primes,
            Array(repeating: .x25519, count: 40),
        ], [CipherSuiteFacts.Order.server, .client])
    func disbelieved(list: [NamedGroup], order: CipherSuiteFacts.Order) async {
        var server = Self.server(order)
        server.declaredGroups = list
        let (facts, _) = await server.facts(.standard)
        server.expectExactly(facts)
    }

    @Test("A list that samples confirm saves the questions", arguments: [CipherSuiteFacts.Order.server, .client])
    func believed(order: CipherSuiteFacts.Order) async {
        var server = Self.server(order)
        let (asked, exchange) = await server.facts(.standard)
        server.declaredGroups = many
        let (listed, fewer) = await server.facts(.standard)
        server.expectExactly(listed)
        #expect(listed.groups == asked.groups && listed.cipherSuites == asked.cipherSuites)
        #expect(fewer.connections < exchange.connections)
    }

    @Test("To be thorough, each group is asked for, whatever the server lists")
    func thorough() async {
        var server = Self.server(.server)
        let (_, exchange) = await server.facts(.deep)
        server.declaredGroups = many
        #expect(await server.facts(.deep).exchange.connections == exchange.connections)
    }

    private static func server(_ order: CipherSuiteFacts.Order) -> FakeServer {
        var server = FakeServer([.tls13: [0x1302, 0x1303, 0x1301], .tls12: FakeServer.intermediateSuites])
        (server.order, server.groups) = (order, many)
        return server
    }
}

@Suite("Keys that are proven in passing")
struct PassingProofTests {
    @Test("A signature in the clear spares a handshake only where it holds", arguments: [false, true])
    func proof(holds: Bool) async {
        var server = FakeServer([.tls13: [0x1301], .tls12: [0xC02B, 0xC02F]])
        server.ecdsaChain = [[0x30, 2]]
        let without = FakeExchange(server)
        let settings = ProbeSettings(serverName: "host.test", offers: .sample)
        let expected = await ProbePlan.standard.facts(over: without, settings)
        let exchange = FakeExchange(server, verifiedBy: FixedVerifier(answer: holds))
        let facts = await ProbePlan.standard.facts(over: exchange, settings)
        #expect(facts.chains == expected.chains && facts.chains.count == 2 && facts.chains.allSatisfy(\.isProven))
        #expect(exchange.connections == without.connections - (holds ? 1 : 0))
    }

    /// Says the same of all signatures.
    private struct FixedVerifier: HandshakeSignatureVerifier {
        let answer: Bool

        func verifies(
            _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
            keyOf certificate: [UInt8]
        ) -> Bool { self.answer }
    }
}
