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

/// The user and the password that programs must show to use a proxy (Basic, RFC 7617), of which nothing but a digest is kept.
package struct ClientCredential: Sendable, CustomStringConvertible, CustomReflectable {
    /// Nothing secret is shown.
    package var description: String { "(hidden)" }

    /// Nothing secret is shown.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The characters that a password has where other machines can try it.
    static let minimumLength = 12

    /// Whether the password is too long to be tried by other machines.
    let isLong: Bool
    private let digest: SHA256Digest

    /// A credential.
    ///
    /// - Parameters:
    ///   - user: The user, without a colon.
    ///   - password: The password.
    /// - Throws: ``InterceptingProxyError`` where one of them is empty, or cannot be sent.
    package init(user: String, password: String) throws(InterceptingProxyError) {
        let isSendable = (user + password).unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !user.isEmpty, !password.isEmpty, !user.utf8.contains(UInt8(ascii: ":")), isSendable else {
            throw InterceptingProxyError("give USER:PASSWORD, without control characters. Neither may be empty")
        }
        self.isLong = password.count >= Self.minimumLength
        self.digest = SHA256.hash(data: Array("\(user):\(password)".utf8))
    }

    /// Whether a request shows it. Digests are compared, in a time that does not depend on where they differ.
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
