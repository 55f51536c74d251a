//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

/// Under ThreadSanitizer on Linux this reports races inside `withLock`, as every use of `Mutex` does in Swift 6.3: the lock
/// is taken where it cannot see it. With a `Mutex` made of `pthread_mutex_t` in its place nothing is reported.
@Suite("Evaluations at the same time")
struct ConcurrencyTests {
    /// 2026-06-01T00:00:00Z.
    private static let date = Date(timeIntervalSince1970: 1_780_272_000)
    private static let hosts = ["www.example.com", "other.example.com"]

    /// The codes of the reasons against a chain; empty when it is trusted.
    @Sendable private static func judge(
        _ certificates: [Certificate], _ host: String, _ store: TrustStore, _ cache: SignatureCache?
    ) throws -> [String] {
        var trust = try Trust(
            certificates: certificates, policy: .tlsServer(hostname: host),
            configuration: TrustConfiguration(anchors: .store(store)))
        trust.verifyDate = Self.date
        trust.profile = .rfc5280
        trust.signatureCache = cache
        return trust.evaluate().failure?.reasons.map(\.code) ?? []
    }

    @Test("Threads that share certificates, a store and a small cache say what one alone says without a cache")
    func shared() async throws {
        let chain = try TestChain()
        let certificates = [chain.leaf, chain.second, chain.first].map(Certificate.init)
        let store = try TrustStore([Certificate(chain.root)])
        #expect(try Self.judge(certificates, Self.hosts[0], store, nil) == [])
        #expect(try Self.judge(certificates, Self.hosts[1], store, nil) == ["name-mismatch"])
        // Keys are made when they are first needed: certificates that were not judged yet, and a cache that keeps two.
        let fresh = try certificates.map { try Certificate(der: $0.derRepresentation) }
        let cache = SignatureCache(capacity: 2)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<16 {
                group.addTask {
                    try (0..<20).allSatisfy { round in
                        if round == 9 { cache.removeAll() }
                        let index = (task + round) % 2
                        let reasons = try Self.judge(fresh, Self.hosts[index], store, cache)
                        return reasons == (index == 0 ? [] : ["name-mismatch"])
                    }
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
        #expect(cache.count <= 2)
    }
}
