//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import Synchronization

/// The connections to servers that one connection of a client has to itself.
///
/// Once the client shows a credential that authenticates connections, its requests go over connections that no other client is
/// given: a server would take the other client for this one.
final class OwnedConnections: Sendable {
    private let owner = ConnectionOwner()
    private let areInUse = Atomic(false)

    /// Whose connections a request with these fields goes over; `nil` for those of all clients.
    func owner(for fields: HTTPFields) -> ConnectionOwner? {
        if fields.authenticateConnection { self.areInUse.store(true, ordering: .relaxed) }
        return self.areInUse.load(ordering: .relaxed) ? self.owner : nil
    }
}
