//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Compares an old version of TLS with what is known of a newer one: servers usually have one list of suites for all
/// versions, and a few samples show whether this one does. Where one sample comes out otherwise, everything is asked.
struct CipherSuiteSampling {
    let session: ProbeSession
    let version: TLSProtocolVersion
    /// What is known of the newer version, complete and in its order.
    let known: CipherSuiteFacts
    /// What was agreed on in the old version with everything on offer.
    let first: Agreement

    /// With fewer suites it takes no more connections to ask for each.
    static let worthwhile = 5

    /// What a newer version lets expect of an older one.
    static func expected(_ known: CipherSuiteFacts, in version: TLSProtocolVersion) -> [CipherSuite] {
        known.suites.filter { $0.earliestVersion.map { $0 <= version } == true }
    }

    /// The suites, if all samples come out as expected.
    func run() async -> CipherSuiteFacts? {
        let expected = Self.expected(self.known, in: self.version)
        // Where offers have to be small, "the rest" is not one question.
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
