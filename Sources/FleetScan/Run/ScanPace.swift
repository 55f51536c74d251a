//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSProbe

/// How many hosts are asked at the same time, and how long each may take, given how many connections there may be.
package struct ScanPace: Sendable {
    /// What keeps the memory of a scan below 60 MB, which hosts in flight make up.
    package static let defaultConnections = 24

    /// Connections at the same time.
    package var connections = Self.defaultConnections
    /// Connections in a second; `nil` for as many as there can be.
    package var rate: Double?
    /// How much each host is asked.
    package var plan = ProbePlan.ats

    /// A pace.
    package init(connections: Int = ScanPace.defaultConnections, rate: Double? = nil, plan: ProbePlan = ProbePlan.ats) {
        self.connections = connections
        self.rate = rate
        self.plan = plan
    }

    /// The hosts that are asked at the same time.
    ///
    /// One host takes about two connections at a time. Where the rate is what holds them up, a host that waits for its turn
    /// would use its time up in waiting: then no more are asked than get through in half of it.
    package var hosts: Int {
        let byConnections = max(1, self.connections / 2)
        guard let rate else { return byConnections }
        let byRate = Self.patience / 2 * rate / Double(self.connectionsPerHost)
        return max(1, min(byConnections, Int(byRate)))
    }

    /// The time that each host has.
    package var timePerHost: Duration {
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
