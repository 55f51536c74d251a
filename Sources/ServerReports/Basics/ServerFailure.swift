//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust
package import ServerTrustNIO

/// Why a server could not be judged.
package struct ServerFailure: Sendable {
    /// A short, stable name for programs.
    let code: String
    /// What happened and what to do, in one line.
    package let message: String
}

extension ServerFailure {
    /// A failure to get certificates.
    package init(_ error: any Error, _ endpoint: TLSEndpoint) {
        if let error = error as? TLSConnectionError {
            self.init(code: "\(error.code)", message: "\(error)")
        } else {
            self.init(code: "connectionFailed", message: "\(endpoint): connecting failed (\(error)); try again")
        }
    }

    /// A failure to read the certificate everything is about.
    package init(malformedLeaf error: CertificateError, _ endpoint: TLSEndpoint) {
        self.init(code: "malformedCertificate", message: "\(endpoint): the server's certificate is \(error)")
    }
}

/// Why there is no evaluation.
struct JSONError: Encodable {
    let code: String
    let message: String
}
