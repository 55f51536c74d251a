//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import Synchronization

/// What is known of a destination before there is a connection.
final class GatePreparations: Sendable {
    /// Redirects can lead anywhere.
    private static let capacity = 256

    private let destinations = Mutex<[ATSDestination: GatePreparation]>([:])

    /// What is known of a destination.
    func preparation(
        for destination: ATSDestination, _ prepare: () throws -> GatePreparation
    ) throws -> GatePreparation {
        if let known = self.destinations.withLock({ $0[destination] }) { return known }
        let preparation = try prepare()
        // The dropped values are freed once the lock is open.
        _ = self.destinations.withLock { destinations -> [ATSDestination: GatePreparation] in
            var dropped: [ATSDestination: GatePreparation] = [:]
            if destinations.count >= Self.capacity { swap(&dropped, &destinations) }
            destinations[destination] = preparation
            return dropped
        }
        return preparation
    }
}

/// What every connection to one destination has in common.
struct GatePreparation: Sendable {
    let judge: ConnectionJudge
    let context: NIOSSLContext
    let serverName: String?
}
