//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSProbe

/// The number of hosts scanned at the same time and the time limit of each, derived from the limits on connections.
package struct ScanPace: Sendable {
    /// The default number of connections, which keeps the memory of a scan below 60 MB. Hosts in progress use most of it.
    package static let defaultConnections = 24

    /// The maximum number of simultaneous connections.
    package var connections = Self.defaultConnections
    /// The maximum number of new connections a second, or `nil` if there is no limit.
    package var rate: Double?
    package var plan = ProbePlan.ats

    package init(connections: Int = ScanPace.defaultConnections, rate: Double? = nil, plan: ProbePlan = ProbePlan.ats) {
        self.connections = connections
        self.rate = rate
        self.plan = plan
    }

    /// The number of hosts scanned at the same time.
    ///
    /// One host uses about two connections at a time. If the rate is the limit, hosts would spend their time limit on waiting. The
    /// number of hosts is then at most the number that the rate allows to finish in half the time limit.
    package var hosts: Int {
        let byConnections = max(1, self.connections / 2)
        guard let rate else { return byConnections }
        let byRate = Self.patience / 2 * rate / Double(self.connectionsPerHost)
        return max(1, min(byConnections, Int(byRate)))
    }

    package var timePerHost: Duration {
        guard let rate else { return .seconds(Self.patience) }
        return .seconds(max(Self.patience, 2 * Double(self.connectionsPerHost) / rate))
    }

    private static let patience = 120.0

    /// The number of connections to a host that answers every probe.
    private var connectionsPerHost: Int {
        switch self.plan {
        case .ats: 7
        case .standard: 50
        case .deep: 90
        }
    }
}
