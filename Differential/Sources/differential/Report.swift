//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// What was counted, and the table made of it.
struct Report {
    private(set) var unexplained = 0
    private var judged: [Peer: (both: Int, neither: Int)] = [:]
    private var classes: [String: Int] = [:]

    mutating func add(_ case: Disagreement, _ chain: Scenario.Signed, _ number: Int, isVerbose: Bool) {
        guard `case`.ours.isAccepted != `case`.theirs.isAccepted else {
            if `case`.ours.isAccepted {
                self.judged[`case`.peer, default: (0, 0)].both += 1
            } else {
                self.judged[`case`.peer, default: (0, 0)].neither += 1
            }
            return
        }
        if let rule = DisagreementClass.all.first(where: { $0.explains(`case`) }) {
            self.classes["\(`case`.peer.rawValue)|\(rule.name)", default: 0] += 1
            if isVerbose { print("chain \(number): \(`case`.summary) [\(rule.name)]") }
            return
        }
        self.unexplained += 1
        guard self.unexplained <= 100 else { return }
        print("UNEXPLAINED chain \(number): \(`case`.summary)")
        if self.unexplained <= 3 { print(Self.pem(chain)) }
    }

    private static func pem(_ chain: Scenario.Signed) -> String {
        func block(_ title: String, _ der: [UInt8]) -> String {
            let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "\(title)\n-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----"
        }
        let blocks =
            [block("leaf", chain.leaf)] + chain.intermediates.map { block("sent", $0) }
            + chain.anchors.map { block("trusted", $0) }
        return "host \(chain.host ?? chain.address ?? "none"), at \(chain.time)\n" + blocks.joined(separator: "\n")
    }

    func write(_ options: Options, _ duration: Duration) {
        print("\n\(options.chains) chains, seed \(options.seed), \(duration.formatted(.units(allowed: [.seconds])))\n")
        print("| peer | our profile | both accept | both refuse | we alone accept | the peer alone accepts |")
        print("|---|---|---|---|---|---|")
        for peer in Peer.allCases {
            let (both, neither) = self.judged[peer] ?? (0, 0)
            let alone = self.count(peer, weAccept: true)
            let other = self.count(peer, weAccept: false)
            print("| \(peer.rawValue) | \(peer.profile.name) | \(both) | \(neither) | \(alone) | \(other) |")
        }
        for (title, weAccept) in [("We alone accept", true), ("The peer alone accepts", false)] {
            print("\n| \(title) | \(Peer.allCases.map(\.rawValue).joined(separator: " | ")) | why |")
            print("|---|\(String(repeating: "---|", count: Peer.allCases.count))---|")
            for rule in DisagreementClass.all where rule.weAccept == weAccept {
                let counts = Peer.allCases.map { self.classes["\($0.rawValue)|\(rule.name)"] ?? 0 }
                guard counts.contains(where: { $0 > 0 }) else { continue }
                print("| \(rule.name) | \(counts.map { "\($0)" }.joined(separator: " | ")) | \(rule.why) |")
            }
        }
        print("\n\(self.unexplained) without a reason")
    }

    private func count(_ peer: Peer, weAccept: Bool) -> Int {
        DisagreementClass.all.filter { $0.weAccept == weAccept }
            .reduce(0) { $0 + (self.classes["\(peer.rawValue)|\($1.name)"] ?? 0) }
    }
}
