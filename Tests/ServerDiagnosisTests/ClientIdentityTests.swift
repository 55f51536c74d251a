//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerDiagnosis
@testable import ServerTrustNIO

@Suite("Identities before servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientIdentityTests {
    @Test("Another machine than the one that was judged sees no certificate", arguments: [["-tls1_2"], ["-tls1_3"]])
    func otherMachine(options: [String]) async throws {
        let (chain, client) = (try Self.server(), try Self.client())
        try await OpenSSLServer.with(["-Verify", "3"] + options, chain) { port in
            for (leaves, isTrusted) in [([[1, 2, 3]], false), ([chain[0].der], true)] as [(Set<[UInt8]>, Bool)] {
                try await RecordRelay.with(port) { relay in
                    let endpoint = try TLSEndpoint(
                        host: "server.test", port: relay.port, connectAddress: "127.0.0.1")
                    let use = await Self.prober(client).identityUse(
                        at: endpoint, request: ClientCertificateRequest(), trusting: leaves)
                    #expect(relay.fromClients.hasOnlyHelloAndAlerts != isTrusted, "\(relay.fromClients)")
                    #expect((use == .accepted(subject: "client")) == isTrusted, "\(String(describing: use))")
                    guard !isTrusted, case .notSent(.notConnected)? = use else { return #expect(isTrusted) }
                }
            }
        }
    }

    @Test("No connection is made where there is nothing to show, or no trusted server to show it to")
    func nothingToShow() async throws {
        let client = try Self.client()
        let endpoint = try TLSEndpoint(host: "server.test", port: 1, connectAddress: "127.0.0.1")
        let request = ClientCertificateRequest()
        #expect(await Prober().identityUse(at: endpoint, request: request, trusting: [[1]]) == nil)
        let prober = Self.prober(client)
        #expect(await prober.identityUse(at: endpoint, request: nil, trusting: [[1]]) == .notNeeded)
        #expect(await prober.identityUse(at: endpoint, request: request, trusting: []) == .notSent(.notTrusted))
        guard case .notSent(.notConnected)? = await prober.identityUse(at: endpoint, request: request, trusting: [[1]])
        else {
            Issue.record("a port where nothing listens took a certificate")
            return
        }
    }

    private static func prober(_ identity: TLSIdentity) -> Prober {
        var configuration = Prober.Configuration()
        configuration.identities = [identity]
        return Prober(configuration)
    }

    private static func server() throws -> [TestCertificate] {
        let authority = try TestAuthority()
        return [try authority.issue(.leaf(dnsNames: ["server.test"])), authority.root]
    }

    private static func client() throws -> TLSIdentity {
        let certificate = try TestAuthority().issue(.client(commonName: "client"))
        return try TLSIdentity(pem: certificate.pem, key: try certificate.privateKey.pem)
    }
}
