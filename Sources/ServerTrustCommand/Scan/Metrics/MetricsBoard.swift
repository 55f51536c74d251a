//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known at the moment, for whoever asks for metrics.
final class MetricsBoard: Sendable {
    /// The most hosts that have series of their own. There is a series for each; more than this nobody wants to pay for.
    static let mostHosts = 2_000

    /// One host.
    struct Host: Sendable {
        let host: String
        let port: Int
        let outcome: ScanRecord.Outcomes
        let notAfter: Date?
        let milliseconds: Int
        /// The round that it was last seen in.
        let round: Int
    }

    struct State: Sendable {
        var rounds = 0
        var tally = ScanTally()
        var duration = Duration.zero
        var lastRound: Date?
        var hosts: [String: Host] = [:]
        var hostsLeftOut = 0
        var scannedHosts = 0
        var connections = 0
    }

    private let interval: Duration
    private let start = Date.now
    private let state = Mutex(State())

    init(interval: Duration) {
        self.interval = interval
    }

    var now: State { self.state.withLock { $0 } }

    /// Whether rounds come to an end as they should.
    var isHealthy: Bool {
        let last = self.now.lastRound ?? self.start
        return Date.now.timeIntervalSince(last) < 3 * ProgressText.seconds(self.interval) + 600
    }

    /// Takes a host.
    func take(_ record: ScanRecord) {
        guard let host = record.host else { return }
        self.state.withLock { state in
            state.scannedHosts += 1
            state.connections += record.connections
            guard state.hosts[record.name] != nil || state.hosts.count < Self.mostHosts else {
                state.hostsLeftOut += 1
                return
            }
            state.hosts[record.name] = Host(
                host: host, port: record.port ?? 443, outcome: record.outcome,
                notAfter: record.certificate.flatMap { try? Date($0.notAfter, strategy: .iso8601) },
                milliseconds: record.milliseconds, round: state.rounds)
        }
    }

    /// Says that a round is over. Hosts that it did not see are forgotten.
    func finish(_ tally: ScanTally, _ duration: Duration) {
        self.state.withLock { state in
            state.hosts = state.hosts.filter { $0.value.round == state.rounds }
            state.rounds += 1
            (state.tally, state.duration, state.lastRound) = (tally, duration, Date.now)
            state.hostsLeftOut = max(0, tally.hosts - state.hosts.count)
        }
    }
}

/// Hands results on to the metrics.
struct MetricsReceiver: ScanReceiver {
    private let board: MetricsBoard

    init(_ board: MetricsBoard) {
        self.board = board
    }

    func receive(_ result: ScanResult) { self.board.take(result.record) }
    func end(isComplete: Bool) {}
}
