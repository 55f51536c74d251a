//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

@Suite("What is known of a server")
struct ServerFactsTests {
    @Test("A version without a clear answer is not a supported one, nor a refused one")
    func unknownIsNeither() {
        var facts = ServerFacts(plan: .standard)
        facts.versions = [
            VersionFact(.tls13, .unknown(.timedOut(.silent))), VersionFact(.tls12, .supported),
        ]
        #expect(facts.supportedVersions == [.tls12])
        #expect(facts.support(of: .tls13) == .unknown(.timedOut(.silent)))
        #expect(facts.support(of: .tls11) == nil)
    }
}
