//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSParameters

/// Gets a first answer from a server: with everything on offer, and where that finds none, ever less of what servers are
/// known to stumble over.
struct Contact {
    let interview: Interview

    /// The answer to everything, or to the first hello that got one.
    func make() async -> ProbeAnswer {
        let first = await self.interview.ask(await self.everything)
        guard first.agreement == nil, first.mayBeIntolerance else { return first }
        if let agreement = await self.modestly() { return .agreed(agreement) }
        if let agreement = await self.withoutExtensions() { return .agreed(agreement) }
        if let agreement = await self.withKeys() { return .agreed(agreement) }
        if let agreement = await self.inSSL3() { return .agreed(agreement) }
        return first
    }

    private var everything: ProbeOffer {
        get async {
            await self.interview.offer(
                [.tls13] + Self.oldVersions, CipherSuite.offeredInTLS13 + CipherSuite.offered(in: .tls12))
        }
    }

    private static let oldVersions: [TLSProtocolVersion] = [.tls12, .tls11, .tls10]
    /// nmap's and testssl.sh's number: old machines count suites in a few bits.
    private static let fewSuites = 64
}

// MARK: - With less on offer

extension Contact {
    /// As clients did ten years ago. What of today's was too much, is found out after that.
    private func modestly() async -> Agreement? {
        guard
            let modest = await self.interview.agreement(
                on: await self.interview.offer(Self.oldVersions, CipherSuite.modest))
        else { return nil }
        let all = await self.interview.offer(Self.oldVersions, CipherSuite.offered(in: .tls12))
        guard let agreement = await self.interview.ask(all).agreement else {
            await self.adopt(Interview.Manners(maximumSuites: Self.fewSuites), .intolerantOfManySuites)
            return modest
        }
        var withKeys = await self.everything
        withKeys.offerKeys()
        if let agreement = await self.interview.ask(withKeys).agreement {
            await self.adopt(Interview.Manners(needsKeyShare: true), .needsKeyShare)
            return agreement
        }
        await self.interview.remember(.intolerantOfNewVersions)
        return agreement
    }

    /// Windows Server 2003 and its contemporaries know no extensions, and some of them mind.
    private func withoutExtensions() async -> Agreement? {
        var offer = await self.interview.offer(Self.oldVersions, CipherSuite.modest)
        offer.hasExtensions = false
        guard let agreement = await self.interview.agreement(on: offer) else { return nil }
        await self.adopt(
            Interview.Manners(maximumSuites: Self.fewSuites, hasExtensions: false), .intolerantOfExtensions)
        return agreement
    }

    /// TLS 1.3 alone, with keys from the beginning.
    private func withKeys() async -> Agreement? {
        var offer = await self.interview.offer([.tls13], CipherSuite.offeredInTLS13)
        offer.offerKeys()
        guard let agreement = await self.interview.agreement(on: offer) else { return nil }
        await self.adopt(Interview.Manners(needsKeyShare: true), .needsKeyShare)
        return agreement
    }

    /// Who speaks nothing newer should answer to newer hellos all the same, and does not always.
    private func inSSL3() async -> Agreement? {
        await self.interview.agreement(on: await self.interview.offer([.ssl30], CipherSuite.offered(in: .ssl30)))
    }

    private func adopt(_ manners: Interview.Manners, _ anomaly: ProbeAnomaly) async {
        await self.interview.adopt(manners)
        await self.interview.remember(anomaly)
    }
}

extension ProbeAnswer {
    /// Whether less on offer may get another answer; a server that cannot be reached cannot be asked more kindly.
    fileprivate var mayBeIntolerance: Bool {
        switch self {
        case .agreed: false
        case .refused: true
        case .unknown(.timedOut(.silent)), .unknown(.closed), .unknown(.reset), .unknown(.alert): true
        case .unknown: false
        }
    }
}
