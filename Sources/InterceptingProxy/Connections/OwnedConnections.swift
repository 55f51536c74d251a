//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import Synchronization

/// The connections to servers that are reserved for one client connection.
///
/// After the client sends a credential that authenticates connections, its requests use connections that no other client shares. On
/// a shared connection, the server would take other clients for this one.
final class OwnedConnections: Sendable {
    private let owner = ConnectionOwner()
    private let areInUse = Atomic(false)

    /// Returns the owner of the connections for a request with these fields, or `nil` for shared connections.
    func owner(for fields: HTTPFields) -> ConnectionOwner? {
        if fields.authenticateConnection { self.areInUse.store(true, ordering: .relaxed) }
        return self.areInUse.load(ordering: .relaxed) ? self.owner : nil
    }
}
