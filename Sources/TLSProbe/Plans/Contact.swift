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
        for manners in Self.milderManners {
            let before = await self.interview.manners
            await self.interview.adopt(manners)
            let answer = await self.interview.ask(await self.modest)
            if let agreement = answer.agreement {
                await self.remember(manners, agreement)
                return answer
            }
            await self.interview.adopt(before)
        }
        return first
    }

    private var everything: ProbeOffer {
        get async {
            await self.interview.offer(
                [.tls13, .tls12, .tls11, .tls10], CipherSuite.offeredInTLS13 + CipherSuite.offered(in: .tls12))
        }
    }

    /// What a client of ten years ago offers.
    private var modest: ProbeOffer {
        get async {
            let suites = CipherSuite.offered(in: .tls12).prefix(Self.modestCount)
            return await self.interview.offer([.tls12, .tls11, .tls10], Array(suites))
        }
    }

    private static let modestCount = 48
    /// nmap's and testssl.sh's number: old machines count suites in a few bits.
    private static let fewSuites = 64

    private static let milderManners = [
        Interview.Manners(maximumSuites: fewSuites, hasExtensions: true),
        Interview.Manners(maximumSuites: fewSuites, hasExtensions: false),
    ]

    private func remember(_ manners: Interview.Manners, _ agreement: Agreement) async {
        await self.interview.remember(manners.hasExtensions ? .intolerantOfManySuites : .intolerantOfExtensions)
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
