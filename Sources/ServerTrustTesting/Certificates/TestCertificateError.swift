//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The error for a certificate that cannot be created as described.
public struct TestCertificateError: Error, Hashable, CustomStringConvertible {
    /// The fault in the description of the certificate.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
