//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// The owner of connections that no other requests may use.
///
/// NTLM and Negotiate authenticate the connection and not the request (RFC 4559 §6, RFC 9110 §11.7). A server then assigns every
/// later request on the connection to the same user, even without a credential.
package final class ConnectionOwner: Hashable, Sendable {
    /// Creates an owner that is equal only to itself.
    package init() {}

    package static func == (left: ConnectionOwner, right: ConnectionOwner) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HTTPFields {
    private static let connectionSchemes: Set<String> = ["ntlm", "negotiate", "kerberos"]

    /// `true` if the credential may authenticate the whole connection.
    package var authenticateConnection: Bool {
        guard self.contains(.authorization) else { return false }
        return self[values: .authorization].contains { value in
            let scheme = value.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" && $0 != "," }
            return Self.connectionSchemes.contains(scheme.lowercased())
        }
    }
}
