//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSProbe
import TLSWire

/// The facts about each address of a server.
package struct AddressFacts: Sendable {
    /// The facts in the order of RFC 6724, with the address if there are several. There is at least one.
    package let answers: [(address: String?, facts: ServerFacts)]
    /// The number of further addresses that were not probed.
    let unasked: Int

    /// The facts about the addresses that accepted a connection, because clients skip the others (RFC 8305 §5). If there are none,
    /// the facts about all addresses.
    package var reached: [ServerFacts] {
        let all = self.answers.map(\.facts)
        let reached = all.filter(\.wasReached)
        return reached.isEmpty ? all : reached
    }
}

extension ServerFacts {
    var wasReached: Bool { self.speaksTLS || self.failure?.isWithoutConnection != true }
}

extension ConnectionFailure {
    /// `true` if no connection was made, so that clients try the next address.
    package var isWithoutConnection: Bool {
        switch self {
        case .hostNotFound, .lookupFailed, .connectionRefused, .unreachable, .timedOut(.resolving),
            .timedOut(.connecting), .proxy:
            true
        default: false
        }
    }
}
