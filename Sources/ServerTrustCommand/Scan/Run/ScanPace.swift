//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe

/// How many hosts are asked at the same time, and how long each may take, given how many connections there may be.
struct ScanPace: Sendable {
    /// What keeps the memory of a scan below 60 MB, which hosts in flight make up.
    static let defaultConnections = 24

    /// Connections at the same time.
    var connections = Self.defaultConnections
    /// Connections in a second; `nil` for as many as there can be.
    var rate: Double?
    var plan = ProbePlan.ats

    /// The hosts that are asked at the same time.
    ///
    /// One host takes about two connections at a time. Where the rate is what holds them up, a host that waits for its turn
    /// would use its time up in waiting: then no more are asked than get through in half of it.
    var hosts: Int {
        let byConnections = max(1, self.connections / 2)
        guard let rate else { return byConnections }
        let byRate = Self.patience / 2 * rate / Double(self.connectionsPerHost)
        return max(1, min(byConnections, Int(byRate)))
    }

    /// The time that each host has.
    var timePerHost: Duration {
        guard let rate else { return .seconds(Self.patience) }
        return .seconds(max(Self.patience, 2 * Double(self.connectionsPerHost) / rate))
    }

    private static let patience = 120.0

    /// What a host takes when it answers to everything.
    private var connectionsPerHost: Int {
        switch self.plan {
        case .ats: 7
        case .standard: 50
        case .deep: 90
        }
    }
}
