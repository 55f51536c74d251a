//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

extension String {
    /// Throws an error if the text cannot be the host name of a server name indication (RFC 6066 §3).
    ///
    /// - Throws: An error with a description that states what to write instead.
    package func checkServerName() throws {
        guard try Host(self).serverNameIndication != nil else {
            throw FleetError("\(DisplayText.text(self)): an address is no server name. Give a DNS name")
        }
    }
}
