//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// The long-term properties of a certificate.
package struct ScanCertificate: Codable, Sendable, Hashable {
    package let subject: String
    package let issuer: String
    package let notAfter: String
    package let daysLeft: Int
    package let key: String
    package let sha256: String
    package let spkiSHA256: String
    /// The beginning of its validity. Absent in results of older versions.
    package var notBefore: String?
    /// The part of its life that is left, in whole percent. Absent in results of older versions.
    package var percentLeft: Int?
    /// The level at which its end is warned of. Absent if no warning is due.
    package var expiry: ExpiryLevel?
}
