//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known at the moment, for clients that ask for metrics.
package final class MetricsBoard: Sendable {
    /// The most hosts that have series of their own. There is a series for each, and each costs the monitoring system memory.
    static let mostHosts = 2_000

    /// One host.
    struct Host: Sendable {
        let host: String
        let port: Int
        let connectTo: String?
        let sni: String?
        let startTLS: String?
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
        var hosts: [TargetIdentity: Host] = [:]
        /// Results of hosts that have no series, in the round that was the last one to have any.
        var hostsLeftOut = 0
        var roundLeftOut = 0
        var scannedHosts = 0
        var connections = 0
    }

    private let interval: Duration
    private let start = Date.now
    private let state = Mutex(State())

    /// Metrics of nothing yet.
    ///
    /// - Parameter interval: The time between rounds, by which ``isHealthy`` goes.
    package init(interval: Duration) {
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
            let identity = record.identity
            guard state.hosts[identity] != nil || state.hosts.count < Self.mostHosts else { return state.leaveOut() }
            state.hosts[identity] = Host(
                host: host, port: record.port ?? 443, connectTo: record.connectTo, sni: record.sni,
                startTLS: record.startTLS, outcome: record.outcome,
                notAfter: record.certificate.flatMap { try? Date($0.notAfter, strategy: .iso8601) },
                milliseconds: record.milliseconds, round: state.rounds)
        }
    }

    /// Says that a round is over. Hosts that it did not see are forgotten.
    func finish(_ tally: ScanTally, _ duration: Duration) {
        self.state.withLock { state in
            state.hosts = state.hosts.filter { $0.value.round == state.rounds }
            if state.roundLeftOut != state.rounds { state.hostsLeftOut = 0 }
            state.rounds += 1
            (state.tally, state.duration, state.lastRound) = (tally, duration, Date.now)
        }
    }
}

extension MetricsBoard.State {
    /// Counts a host that has no series, among those of its round.
    fileprivate mutating func leaveOut() {
        if self.roundLeftOut != self.rounds { self.hostsLeftOut = 0 }
        self.hostsLeftOut += 1
        self.roundLeftOut = self.rounds
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
