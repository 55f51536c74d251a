//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A comparison of an old version of TLS with the known suites of a newer one.
///
/// Servers usually have a single list of suites for all versions, and a few samples test this server for it. If one sample differs,
/// all suites are offered.
struct CipherSuiteSampling {
    let session: ProbeSession
    let version: TLSProtocolVersion
    /// The suites of the newer version, complete and in their order.
    let known: CipherSuiteFacts
    let first: Agreement

    /// The smallest number of suites worth sampling. With fewer, offering each takes no more connections.
    static let worthwhile = 5

    /// Returns the suites that a newer version suggests for an older one.
    static func expected(_ known: CipherSuiteFacts, in version: TLSProtocolVersion) -> [CipherSuite] {
        known.suites.filter { $0.earliestVersion.map { $0 <= version } == true }
    }

    func run() async -> CipherSuiteFacts? {
        let expected = Self.expected(self.known, in: self.version)
        // If offers must be small, the remaining suites do not fit into one.
        guard expected.count >= Self.worthwhile, await self.session.tolerance.maximumCipherSuites == nil,
            let last = expected.last
        else { return nil }
        let half = expected.dropFirst(expected.count / 2)
        let rest = CipherSuite.offered(in: self.version).filter { !expected.contains($0) }
        let favorite =
            self.known.order == .server ? expected.first : self.first.offer.cipherSuites.first(where: expected.contains)
        guard self.first.cipherSuite == favorite,
            await self.choice(of: Array(half.reversed())) == (self.known.order == .server ? half.first : last),
            await self.choice(of: [last]) == last,
            case .refused = await self.session.ask(await self.session.offer([self.version], rest))
        else { return nil }
        var facts = CipherSuiteFacts(self.version, expected, order: self.known.order, isComplete: true)
        facts.inferredFrom = self.known.version
        return facts
    }

    private func choice(of suites: [CipherSuite]) async -> CipherSuite? {
        await self.session.ask(await self.session.offer([self.version], suites)).agreement?.cipherSuite
    }
}
