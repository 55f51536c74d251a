//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The user name and password that programs must send to use a proxy (Basic, RFC 7617). Only a digest is stored.
package struct ClientCredential: Sendable, CustomStringConvertible, CustomReflectable {
    /// A fixed text that reveals no secret.
    package var description: String { "(hidden)" }

    /// A mirror without children, which reveals no secret.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The minimum length of a password in characters, if other machines can reach the proxy.
    static let minimumLength = 12

    /// `true` if the password has at least ``minimumLength`` characters.
    let isLong: Bool
    private let digest: SHA256Digest

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - user: The user name, which must not contain a colon.
    ///   - password: The password.
    /// - Throws: ``InterceptingProxyError`` if the user name or password is empty or contains control characters, or if the user
    ///   name contains a colon.
    package init(user: String, password: String) throws(InterceptingProxyError) {
        let isSendable = (user + password).unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !user.isEmpty, !password.isEmpty, !user.utf8.contains(UInt8(ascii: ":")), isSendable else {
            throw InterceptingProxyError("give USER:PASSWORD, without control characters. Neither may be empty")
        }
        self.isLong = password.count >= Self.minimumLength
        self.digest = SHA256.hash(data: Array("\(user):\(password)".utf8))
    }

    /// Returns `true` if a request has the credential. The comparison of digests takes constant time.
    func isShown(by fields: HTTPFields) -> Bool {
        let values = fields[values: .proxyAuthorization]
        guard values.count == 1 else { return false }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let given = Data(base64Encoded: String(parts[1].drop { $0 == " " }))
        else { return false }
        return SHA256.hash(data: given) == self.digest
    }
}
