//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Gets a first answer from a server: offers everything, and where that gets no answer, less and less of what servers are
/// known to fail on.
struct InitialProbe {
    let session: ProbeSession

    /// The answer to everything, or to the first hello that got one.
    func make() async -> ProbeAnswer {
        let first = await self.session.ask(await self.everything)
        guard first.agreement == nil, first.mayBeIntolerance else { return first }
        for fallback in FallbackOffer.allCases {
            guard let agreement = await self.session.agreement(on: await self.offer(fallback)) else { continue }
            // Now that something is answered, it shows whether it was everything that was not, or whether connections
            // were lost by chance, which says nothing about what the server tolerates.
            let everything = await self.again(first)
            guard await self.fails(everything, besides: agreement) else { return everything }
            return await self.conclude(fallback, agreement, everything: everything)
        }
        return first
    }

    /// What is offered after everything, and in this order.
    private enum FallbackOffer: CaseIterable {
        /// As clients did ten years ago.
        case modest
        /// Windows Server 2003 and its contemporaries know no extensions, and some of them mind.
        case withoutExtensions
        /// TLS 1.3 alone, with keys from the beginning.
        case withKeys
        /// A server that speaks nothing newer should answer to newer hellos all the same, and does not always.
        case ssl30
    }

    private func offer(_ fallback: FallbackOffer) async -> ProbeOffer {
        switch fallback {
        case .modest: return await self.session.offer(Self.oldVersions, CipherSuite.modest)
        case .withoutExtensions:
            var offer = await self.offer(.modest)
            offer.hasExtensions = false
            return offer
        case .withKeys:
            var offer = await self.session.offer([.tls13], CipherSuite.offeredInTLS13)
            offer.offerKeys()
            return offer
        case .ssl30: return await self.session.offer([.ssl30], CipherSuite.offered(in: .ssl30))
        }
    }

    private func conclude(_ fallback: FallbackOffer, _ agreement: Agreement, everything: ProbeAnswer) async
        -> ProbeAnswer
    {
        switch fallback {
        case .modest: return await self.modestly(agreement)
        case .withoutExtensions: return await self.withoutExtensions(agreement)
        case .withKeys:
            await self.adopt(ServerTolerance(requiresKeyShare: true), .needsKeyShare)
            return .agreed(agreement)
        case .ssl30:
            // Versions that met silence are asked for one by one.
            switch everything {
            case .refused(.alert), .refused(.otherVersion): return .agreed(agreement)
            default: return .refused(.otherVersion(.ssl30))
            }
        }
    }

    private var everything: ProbeOffer {
        get async {
            await self.session.offer(
                [.tls13] + Self.oldVersions, CipherSuite.offeredInTLS13 + CipherSuite.offered(in: .tls12))
        }
    }

    private static let oldVersions: [TLSProtocolVersion] = [.tls12, .tls11, .tls10]
    /// nmap's and testssl.sh's number: old machines count suites in a few bits.
    private static let fewSuites = 64
}

// MARK: - What it means

extension InitialProbe {
    /// The answer to everything, unless the server's own word was heard already.
    private func again(_ first: ProbeAnswer) async -> ProbeAnswer {
        if case .refused = first { return first }
        return await self.session.ask(await self.everything)
    }

    /// Whether an answer is about what was offered: a refusal, or nothing at all between two agreements on something
    /// else.
    private func fails(_ answer: ProbeAnswer, besides agreement: Agreement) async -> Bool {
        switch answer {
        case .refused: true
        case .unknown(.timedOut(.silent)): await self.session.agreement(on: agreement.offer) != nil
        case .agreed, .unknown: false
        }
    }

    /// What of today's was too much for a server that takes what clients offered ten years ago.
    private func modestly(_ modest: Agreement) async -> ProbeAnswer {
        let all = await self.session.ask(
            await self.session.offer(Self.oldVersions, CipherSuite.offered(in: .tls12)))
        guard let agreement = all.agreement else {
            guard await self.fails(all, besides: modest) else { return all }
            await self.adopt(ServerTolerance(maximumCipherSuites: Self.fewSuites), .intolerantOfManySuites)
            return .agreed(modest)
        }
        var offer = await self.everything
        offer.offerKeys()
        let withKeys = await self.session.ask(offer)
        if withKeys.agreement?.version == .tls13 {
            await self.adopt(ServerTolerance(requiresKeyShare: true), .needsKeyShare)
            return withKeys
        }
        if await self.fails(withKeys, besides: agreement) {
            await self.session.remember(.intolerantOfNewVersions)
        }
        return .agreed(agreement)
    }

    /// Before a server is asked without extensions, which hides from it all that they are about, it has to fail with
    /// them once more.
    private func withoutExtensions(_ agreement: Agreement) async -> ProbeAnswer {
        let modest = await self.session.ask(await self.offer(.modest))
        if let modest = modest.agreement { return await self.modestly(modest) }
        guard await self.fails(modest, besides: agreement) else { return modest }
        await self.adopt(
            ServerTolerance(maximumCipherSuites: Self.fewSuites, acceptsExtensions: false), .intolerantOfExtensions)
        return .agreed(agreement)
    }

    private func adopt(_ tolerance: ServerTolerance, _ anomaly: ProbeAnomaly) async {
        await self.session.adopt(tolerance)
        await self.session.remember(anomaly)
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
