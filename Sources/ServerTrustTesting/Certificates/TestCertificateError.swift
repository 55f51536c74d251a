//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error about a certificate that cannot be made as described.
public struct TestCertificateError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the description of the certificate.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
