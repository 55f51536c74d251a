//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The first offers to a server. They begin with everything and then leave out more and more parts that servers are known to fail
/// on, until there is an answer.
struct InitialProbe {
    let session: ProbeSession

    /// Returns the answer to the offer of everything, or to the first offer with an answer.
    func make() async -> ProbeAnswer {
        let first = await self.session.ask(await self.everything)
        guard first.agreement == nil, first.mayBeIntolerance else { return first }
        for fallback in FallbackOffer.allCases {
            guard let agreement = await self.session.agreement(on: await self.offer(fallback)) else { continue }
            // The offer of everything is repeated after an agreement. Its failure may have been a connection lost by chance, which
            // shows nothing about the server's tolerance.
            let everything = await self.again(first)
            guard await self.fails(everything, besides: agreement) else { return everything }
            return await self.conclude(fallback, agreement, everything: everything)
        }
        return first
    }

    /// The offers after everything, in this order.
    private enum FallbackOffer: CaseIterable {
        /// The offer of clients from ten years ago.
        case modest
        /// Everything but the requests for stapling, timestamps and tickets.
        case withoutFeatures
        /// The offer of clients from ten years ago without extensions. Servers of the age of Windows Server 2003 do not know
        /// extensions, and some of them refuse a hello that has them.
        case withoutExtensions
        /// TLS 1.3 alone, with key shares.
        case withKeys
        /// SSL 3.0 alone. A server without newer versions should answer newer hellos, too, but may not.
        case ssl30
    }

    private func offer(_ fallback: FallbackOffer) async -> ProbeOffer {
        switch fallback {
        case .modest: return await self.session.offer(Self.oldVersions, CipherSuite.modest)
        case .withoutFeatures:
            var offer = await self.everything
            offer.offersFeatures = false
            return offer
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
        case .withoutFeatures:
            await self.session.adopt(ServerTolerance(acceptsFeatures: false))
            return .agreed(agreement)
        case .withoutExtensions: return await self.withoutExtensions(agreement)
        case .withKeys:
            await self.adopt(ServerTolerance(requiresKeyShare: true), .needsKeyShare)
            return .agreed(agreement)
        case .ssl30:
            // Versions that met silence are offered one by one.
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
    /// The number of suites that nmap and testssl.sh use, because old machines count suites in a few bits.
    private static let fewSuites = 64
}

// MARK: - What it means

extension InitialProbe {
    private func again(_ first: ProbeAnswer) async -> ProbeAnswer {
        if case .refused = first { return first }
        return await self.session.ask(await self.everything)
    }

    /// Returns `true` if the offer is the reason for an answer: the server refused it, or stayed silent between two agreements on
    /// another offer.
    private func fails(_ answer: ProbeAnswer, besides agreement: Agreement) async -> Bool {
        switch answer {
        case .refused: true
        case .unknown(.timedOut(.silent)): await self.session.agreement(on: agreement.offer) != nil
        case .agreed, .unknown: false
        }
    }

    /// Finds the part of today's hellos that fails, for a server that accepts those of ten years ago.
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

    /// Confirms that the server fails with extensions before the probe continues without them, which hides the features they carry.
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
    /// `true` if a smaller offer may get another answer. A server that cannot be reached never gives one.
    fileprivate var mayBeIntolerance: Bool {
        switch self {
        case .agreed: false
        case .refused: true
        case .unknown(.timedOut(.silent)), .unknown(.closed), .unknown(.reset), .unknown(.alert): true
        case .unknown: false
        }
    }
}
