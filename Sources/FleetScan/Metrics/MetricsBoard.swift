//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
package import ServerTrust
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The current metrics of a watch, for clients that request them.
package final class MetricsBoard: Sendable {
    /// The maximum number of hosts with series of their own. Each series costs memory in the monitoring system.
    static let mostHosts = 2_000

    /// The latest result of a host.
    struct Host: Sendable {
        let host: String
        let port: Int
        let connectTo: String?
        let sni: String?
        let startTLS: String?
        let outcome: ScanRecord.Outcomes
        /// The certificates that it presented last, each with its address where there are several.
        let certificates: [MetricsCertificate]
        let postQuantum: Bool?
        let milliseconds: Int
        /// The round of the latest result.
        let round: Int
    }

    /// One certificate of a host.
    struct MetricsCertificate: Sendable {
        /// The address; `nil` where one was asked.
        let address: String?
        let notBefore: Date?
        let notAfter: Date?
        let level: ExpiryLevel?
    }

    struct State: Sendable {
        var rounds = 0
        var tally = ScanTally()
        var duration = Duration.zero
        var lastRound: Date?
        var hosts: [TargetIdentity: Host] = [:]
        /// The hosts of this round's list so far, and of the round's before.
        var listed: Set<TargetIdentity> = []
        var listedBefore: Set<TargetIdentity> = []
        /// The number of results of hosts without series, counted in the last round that had any.
        var hostsLeftOut = 0
        var roundLeftOut = 0
        var scannedHosts = 0
        var connections = 0
    }

    /// The end of validity from which on Apple's data cannot judge certificates, or `nil` if there is none.
    let judgesUntil: Date?
    private let interval: Duration
    private let start = Date.now
    private let state = Mutex(State())

    /// Creates empty metrics.
    ///
    /// - Parameters:
    ///   - interval: The time between rounds, which ``isHealthy`` takes into account.
    ///   - publicTrust: The public roots and logs of the watch. Certificates below given roots need no logs.
    package init(interval: Duration, publicTrust: PublicTrustBasis? = nil) {
        self.interval = interval
        self.judgesUntil = publicTrust?.roots == .given ? nil : publicTrust?.judgesUntil
    }

    var now: State { self.state.withLock { $0 } }

    /// `true` if the last round ended less than three intervals and ten minutes ago.
    var isHealthy: Bool {
        let last = self.now.lastRound ?? self.start
        return Date.now.timeIntervalSince(last) < 3 * ProgressText.seconds(self.interval) + 600
    }

    func take(_ record: ScanRecord) {
        guard record.host != nil else { return }
        self.state.withLock { state in
            state.scannedHosts += 1
            state.connections += record.connections
            let identity = record.identity
            state.listed.insert(identity)
            guard state.hosts[identity] != nil || state.hosts.count < Self.mostHosts else { return state.leaveOut() }
            state.hosts[identity] = Host(record, round: state.rounds, before: state.hosts[identity])
        }
    }

    /// Returns true for a host of the list, as this round or the one before has it.
    func isListed(_ identity: TargetIdentity) -> Bool {
        self.state.withLock { $0.listed.contains(identity) || $0.listedBefore.contains(identity) }
    }

    /// Ends a round and forgets the hosts that had no result in it.
    func finish(_ tally: ScanTally, _ duration: Duration) {
        self.state.withLock { state in
            state.hosts = state.hosts.filter { $0.value.round == state.rounds }
            if state.roundLeftOut != state.rounds { state.hostsLeftOut = 0 }
            state.rounds += 1
            (state.listedBefore, state.listed) = (state.listed, [])
            (state.tally, state.duration, state.lastRound) = (tally, duration, Date.now)
        }
    }
}

extension MetricsBoard.Host {
    /// A host by its record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - round: The round that it was seen in.
    ///   - before: The host as it was known. A server that does not answer keeps the certificates that it had, whose ends are not
    ///     forgotten with it.
    init(_ record: ScanRecord, round: Int, before: Self? = nil) {
        self.host = record.host ?? ""
        self.port = record.port ?? 443
        (self.connectTo, self.sni, self.startTLS) = (record.connectTo, record.sni, record.startTLS)
        self.outcome = record.outcome
        let presented = record.presentedCertificates
        let certificates = presented.map { address, certificate in
            MetricsBoard.MetricsCertificate(
                address: presented.count > 1 ? address : nil,
                notBefore: certificate.notBefore.flatMap { try? Date($0, strategy: .iso8601) },
                notAfter: try? Date(certificate.notAfter, strategy: .iso8601), level: certificate.expiry)
        }
        self.certificates = certificates.isEmpty ? before?.certificates ?? [] : certificates
        self.postQuantum = record.postQuantum
        self.milliseconds = record.milliseconds
        self.round = round
    }
}

extension MetricsBoard.State {
    fileprivate mutating func leaveOut() {
        if self.roundLeftOut != self.rounds { self.hostsLeftOut = 0 }
        self.hostsLeftOut += 1
        self.roundLeftOut = self.rounds
    }
}

/// A receiver that records results in the metrics.
struct MetricsReceiver: ScanReceiver {
    private let board: MetricsBoard

    init(_ board: MetricsBoard) {
        self.board = board
    }

    func receive(_ result: ScanResult) { self.board.take(result.record) }
    func end(isComplete: Bool) {}
}
