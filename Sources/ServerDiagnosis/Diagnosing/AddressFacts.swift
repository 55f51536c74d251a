//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSProbe
import TLSWire

/// What each address of a server answered.
package struct AddressFacts: Sendable {
    /// The answers in the order of RFC 6724, with the address of each where there are several; at least one.
    package let answers: [(address: String?, facts: ServerFacts)]
    /// How many addresses the name has besides.
    let unasked: Int

    /// The answers of the addresses that there was a connection to: clients pass the others over (RFC 8305 §5). Where there
    /// are none, all of them.
    package var reached: [ServerFacts] {
        let all = self.answers.map(\.facts)
        let reached = all.filter(\.wasReached)
        return reached.isEmpty ? all : reached
    }
}

extension ServerFacts {
    /// Whether there was a connection.
    var wasReached: Bool { self.speaksTLS || self.failure?.isWithoutConnection != true }
}

extension ConnectionFailure {
    /// Whether no connection came about, so that clients go on to the next address.
    package var isWithoutConnection: Bool {
        switch self {
        case .hostNotFound, .lookupFailed, .connectionRefused, .unreachable, .timedOut(.resolving),
            .timedOut(.connecting), .proxy:
            true
        default: false
        }
    }
}
