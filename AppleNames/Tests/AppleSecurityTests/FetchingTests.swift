//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import ServerTrust
import Synchronization
import Testing

@Suite("Fetching for SecTrust")
struct FetchingTests {
    /// Counts what is asked for, and has nothing.
    final class Counter: ResourceFetcher {
        let count = Mutex(0)

        func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8] {
            self.count.withLock { $0 += 1 }
            throw ResourceError(.unreachable, "there is nothing")
        }
    }

    @Test("An answer with what was fetched is the same as without where nothing came, and a setting forgets it")
    func remembered() async throws {
        let fixture = try Fixture.shared.get()
        var configuration = TrustConfiguration.only([fixture.root.certificate])
        let counter = Counter()
        configuration.fetching = TrustConfiguration.Fetching(fetcher: counter, options: FetchOptions())
        let trust = SecTrust(
            try Trust(
                certificates: fixture.chain.map(\.certificate), policy: .tlsServer(hostname: Fixture.host),
                configuration: configuration))
        #expect(await trust.fetchedResult().isTrusted)
        #expect(status(trust) == errSecSuccess)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example"))
        #expect(await trust.fetchedResult().isTrusted == false)
        SecTrustSetNetworkFetchAllowed(trust, false)
        #expect(await trust.fetchedResult().isTrusted == false)
        #expect(counter.count.withLock { $0 } == 0)
    }
}
