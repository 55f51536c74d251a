//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import Testing

@testable import HTTPSession

@Suite("Fetching for the trust of sessions")
struct SessionFetchingTests {
    @Test("A session fetches by default, and past a proxy only where it is told to")
    func proxies() throws {
        var configuration = HTTPSessionConfiguration()
        #expect(SessionCore(configuration).configuration.trust.fetching != nil)
        configuration.proxies = try ProxyPolicy("http://proxy.example:3128")
        #expect(SessionCore(configuration).configuration.trust.fetching == nil)
        configuration.fetchesPastProxies = true
        #expect(SessionCore(configuration).configuration.trust.fetching != nil)
    }
}
