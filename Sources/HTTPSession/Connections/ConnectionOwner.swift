//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// Whose connections are kept from all other requests.
///
/// NTLM and Negotiate authenticate the connection, and not the request (RFC 4559 §6, RFC 9110 §11.7): a server takes every later
/// request on it for the same user's, without any credential.
package final class ConnectionOwner: Hashable, Sendable {
    /// An owner that equals no other one.
    package init() {}

    package static func == (left: ConnectionOwner, right: ConnectionOwner) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HTTPFields {
    private static let connectionSchemes: Set<String> = ["ntlm", "negotiate", "kerberos"]

    /// Whether a server that takes the credential may take the whole connection for its user's.
    package var authenticateConnection: Bool {
        guard self.contains(.authorization) else { return false }
        return self[values: .authorization].contains { value in
            let scheme = value.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" && $0 != "," }
            return Self.connectionSchemes.contains(scheme.lowercased())
        }
    }
}
