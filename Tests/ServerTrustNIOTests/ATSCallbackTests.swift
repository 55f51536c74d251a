//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

/// As gRPC's transport does it: a TLS handler of its own, with a configuration and a callback from here.
@Suite("App Transport Security as a callback", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSCallbackTests {
    @Test("Certificates are judged, and refusals are heard with their reason", arguments: callbacks)
    func judged(dictionary: String, host: String, onlyTLS13: Bool, expected: [String]) async throws {
        let enforcement = try ATSFixture.enforcement(dictionary)
        let refusal = Mutex<ServerTrustGateError?>(nil)
        let destination = ATSDestination(host: host)
        try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            let outcome = try await ATSTestClient.run(port: server.port) { channel, verdict in
                // No caller hears of a verdict here.
                verdict.fail(ChannelError.eof)
                let callback = try enforcement.customVerificationCallback(for: destination, onlyTLS13: onlyTLS13) {
                    error in refusal.withLock { $0 = error }
                }
                let tls = try NIOSSLClientHandler(
                    context: NIOSSLContext(configuration: enforcement.tlsConfiguration(for: destination)),
                    serverHostname: host, customVerificationCallback: callback)
                try channel.pipeline.syncOperations.addHandler(tls)
            }
            #expect(refusal.withLock { $0?.verdict.violations.map(\.code) } ?? [] == expected, "\(outcome)")
            #expect(outcome.isAllowed == expected.isEmpty)
            #expect(server.seen.received.isEmpty == !expected.isEmpty)
        }
    }

    @Test("There is no callback for plain HTTP, and none for what is no host")
    func impossible() throws {
        let enforcement = try ATSFixture.enforcement()
        #expect(throws: ServerTrustGateError.self) {
            try enforcement.customVerificationCallback(for: ATSDestination(host: ATSTestClient.host, scheme: .http))
        }
        #expect(throws: TLSEndpointError.self) {
            try enforcement.customVerificationCallback(for: ATSDestination(host: "no host"))
        }
    }
}

private let fcp = #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#

private let callbacks: [(String, String, Bool, [String])] = [
    ("{}", ATSTestClient.host, false, []),
    ("{}", "other.test", false, ["untrusted"]),
    (fcp, ATSTestClient.host, false, ["unknown-extended-master-secret"]),
    (fcp, ATSTestClient.host, true, []),
    (
        #"{"NSPinnedDomains": {"HOST": {"NSPinnedCAIdentities": []}}}"#, ATSTestClient.host, true,
        ["authority-not-pinned"]
    ),
]
