//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of evidence that a certificate signs about the status of other certificates.
enum StatusSigner: Sendable, Hashable {
    /// Revocation lists (RFC 5280 §6.3.3 (f)).
    case lists
    /// OCSP responses (RFC 6960 §4.2.2.2).
    case responses
}
