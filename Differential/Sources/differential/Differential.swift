//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation

/// `differential`: the same chains before this package, swift-certificates and OpenSSL, and a reason for every
/// disagreement.
@main
enum Differential {
    private static let usage = """
        usage: differential [--chains N] [--seed N] [--verbose]

        Makes N chains (1,500 unless said otherwise), good ones and ones with something wrong, from a seed that makes a run
        repeatable but for RSA keys and ECDSA signatures, on which nothing depends; judges each with this package, swift-certificates and OpenSSL; and sorts every disagreement into a class
        with a reason. Ends with 1 when one has no class, after printing its chain as PEM.
        """

    static func main() async throws {
        var options = Options()
        guard options.parse(CommandLine.arguments.dropFirst()) else {
            print(self.usage)
            exit(options.isHelp ? 0 : 2)
        }
        let start = ContinuousClock.now
        var generator = Generator(seed: options.seed)
        var report = Report()
        for number in 0..<options.chains {
            try await self.compare(generator.next(), number, options, &report)
        }
        report.write(options, ContinuousClock.now - start)
        exit(report.unexplained == 0 ? 0 : 1)
    }

    private static func compare(
        _ chain: Scenario.Signed, _ number: Int, _ options: Options, _ report: inout Report
    ) async throws {
        let judgements: [(Peer, Judgement)] = [
            (.swiftCertificates, await SwiftCertificatesJudge.judge(chain)),
            (.openSSL, OpenSSLJudge.judge(chain, isStrict: false)),
            (.strictOpenSSL, OpenSSLJudge.judge(chain, isStrict: true)),
        ]
        let ours = [
            ValidationProfile.rfc5280.name: OurJudge.judge(chain, .rfc5280),
            ValidationProfile.webPKI.name: OurJudge.judge(chain, .webPKI),
        ]
        for (peer, theirs) in judgements {
            guard let own = ours[peer.profile.name] else { continue }
            let disagreement = Disagreement(peer: peer, ours: own, theirs: theirs, changes: chain.changes)
            report.add(disagreement, chain, number, isVerbose: options.isVerbose)
        }
    }
}

struct Options {
    var seed: UInt64 = 1
    var chains = 1_500
    var isVerbose = false
    var isHelp = false

    /// `false` when the arguments are not understood, or ask for help.
    mutating func parse(_ arguments: ArraySlice<String>) -> Bool {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--verbose": self.isVerbose = true
            case "--help":
                self.isHelp = true
                return false
            case "--seed":
                guard let seed = rest.popFirst().flatMap(UInt64.init) else { return false }
                self.seed = seed
            case "--chains":
                guard let chains = rest.popFirst().flatMap(Int.init), chains > 0 else { return false }
                self.chains = chains
            default: return false
            }
        }
        return true
    }
}
