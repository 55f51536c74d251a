//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import Synchronization

/// The preparations for recent destinations, at most 256.
final class GatePreparations: Sendable {
    /// A bound, because redirects can lead to any number of destinations.
    private static let capacity = 256

    private let destinations = Mutex<[ATSDestination: GatePreparation]>([:])

    func preparation(
        for destination: ATSDestination, _ prepare: () throws -> GatePreparation
    ) throws -> GatePreparation {
        if let known = self.destinations.withLock({ $0[destination] }) { return known }
        let preparation = try prepare()
        // The dropped values are released outside the lock.
        _ = self.destinations.withLock { destinations -> [ATSDestination: GatePreparation] in
            var dropped: [ATSDestination: GatePreparation] = [:]
            if destinations.count >= Self.capacity { swap(&dropped, &destinations) }
            destinations[destination] = preparation
            return dropped
        }
        return preparation
    }
}

/// The judge, the TLS context and the server name that all connections to one destination share.
struct GatePreparation: Sendable {
    let judge: ConnectionJudge
    let context: NIOSSLContext
    let serverName: String?
}
