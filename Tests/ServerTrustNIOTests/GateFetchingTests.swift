//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting
import SwiftASN1
import Synchronization
import TestSupport
import Testing
import X509

@testable import ServerTrustNIO

@Suite("A gate that fetches issuers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct GateFetchingTests {
    private static let url = "http://issuers.test/intermediate.cer"

    /// A leaf whose certificate says where its issuer is, and the issuer.
    private static func chain() throws -> [TestCertificate] {
        try ATSFixture.chain(.p256) { leaf in
            let access = AuthorityInformationAccess([
                .init(method: .issuingCA, location: .uniformResourceIdentifier(Self.url))
            ])
            if let access = try? Certificate.Extension(access, critical: false) { leaf.extraExtensions.append(access) }
        }
    }

    /// Connects to a server that sends its own certificate alone.
    private static func outcome(
        _ fetcher: IssuerServer?, _ chain: [TestCertificate],
        _ change: (inout ServerTrustSettings) -> Void = { _ in }
    ) async throws -> ATSTestClient.Outcome {
        let gate = try ATSFixture.enforcement { settings in
            var options = FetchOptions()
            options.fetchesIssuers = true
            settings.fetching = fetcher.map { TrustConfiguration.Fetching(fetcher: $0, options: options) }
            change(&settings)
        }
        return try await ATSTestServer.with(.init(), [chain[0]]) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            if !outcome.isAllowed { #expect(server.seen.received.isEmpty) }
            return outcome
        }
    }

    @Test("A server that does not send its issuer is refused without fetching, and let through with what is fetched")
    func issuer() async throws {
        let chain = try Self.chain()
        #expect(try await Self.outcome(nil, chain).code == "untrusted")
        let fetcher = IssuerServer { chain[1].der }
        let outcome = try await Self.outcome(fetcher, chain)
        #expect(outcome.isAllowed, "\(outcome)")
        #expect(fetcher.urls == [Self.url])
        let result = try outcome.verdict?.get().result
        #expect(result?.path.count == 3 && result?.isTrusted == true)
    }

    @Test("Nothing is fetched for a server that is trusted without, and for a fault that no issuer mends")
    func notFetched() async throws {
        let chain = try Self.chain()
        let fetcher = IssuerServer { chain[1].der }
        let gate = try ATSFixture.enforcement { $0.trust = $0.trust.fetching(by: fetcher) }
        try await ATSTestServer.with(.init(), chain) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.isAllowed)
        }
        let otherName = try ATSFixture.chain(.p256) { $0.dnsNames = ["other.test"] }
        try await ATSTestServer.with(.init(), otherName) { server in
            let outcome = try await ATSTestClient.run(gate, port: server.port)
            #expect(outcome.code == "untrusted")
        }
        #expect(fetcher.urls.isEmpty)
    }

    @Test("A wrong issuer, an unreadable one and none leave the server refused")
    func wrongIssuer() async throws {
        let chain = try Self.chain()
        let stranger = try TestAuthority().root
        for answer in [stranger.der, [0x30, 0x00], []] {
            #expect(try await Self.outcome(IssuerServer { answer }, chain).code == "untrusted")
        }
        let unreachable = IssuerServer { throw ResourceError(.unreachable, "no server is there") }
        #expect(try await Self.outcome(unreachable, chain).code == "untrusted")
    }

    @Test("A fetch that takes longer than the handshake may is ended, and the server refused")
    func late() async throws {
        let chain = try Self.chain()
        let isCancelled = Mutex(false)
        let fetcher = IssuerServer {
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                isCancelled.withLock { $0 = true }
                throw error
            }
            return chain[1].der
        }
        let outcome = try await Self.outcome(fetcher, chain) { settings in
            settings.handshakeTimeout = .seconds(1)
            settings.fetching?.options.deadline = .seconds(3_600)
            settings.fetching?.options.timeout = .seconds(3_600)
        }
        #expect(!outcome.isAllowed && outcome.errors.count == 1, "\(outcome)")
        while !isCancelled.withLock({ $0 }) { await Task.yield() }
    }

    @Test("An evaluator decides with what is fetched, and only its last word is reported")
    func evaluator() async throws {
        let chain = try Self.chain()
        let reports = Mutex(0)
        let reporter = PinReporter { _ in reports.withLock { $0 += 1 } }
        let manager = try ServerTrustManager(
            evaluators: [ATSTestClient.host: .pins(PinSet([chain[1].pin], backup: .off))], reporter: reporter)
        for security in [TransportSecurity.strict, .withoutAppTransportSecurity] {
            let outcome = try await Self.outcome(IssuerServer { chain[1].der }, chain) { settings in
                settings.transportSecurity = security
                settings.evaluator = manager
            }
            #expect(outcome.isAllowed, "\(outcome)")
        }
        #expect(reports.withLock { $0 } == 0)
        let stranger = try ServerTrustManager(
            evaluators: [ATSTestClient.host: .pins(PinSet([TestAuthority().root.pin], backup: .off))],
            reporter: reporter)
        let refused = try await Self.outcome(IssuerServer { chain[1].der }, chain) { $0.evaluator = stranger }
        #expect(!refused.isAllowed)
        #expect(reports.withLock { $0 } == 1)
    }
}

extension TrustConfiguration {
    fileprivate func fetching(by fetcher: IssuerServer) -> TrustConfiguration {
        var options = FetchOptions()
        options.fetchesIssuers = true
        var configuration = self
        configuration.fetching = Fetching(fetcher: fetcher, options: options)
        return configuration
    }
}

/// The place that certificates name, with an answer for everything.
private final class IssuerServer: ResourceFetcher {
    private let answer: @Sendable () async throws -> [UInt8]
    private let asked = Mutex<[String]>([])

    var urls: [String] { self.asked.withLock { $0 } }

    init(_ answer: @escaping @Sendable () async throws -> [UInt8]) { self.answer = answer }

    func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8] {
        self.asked.withLock { $0.append(request.url) }
        do {
            return try await self.answer()
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.cancelled, "\(error)")
        }
    }
}
