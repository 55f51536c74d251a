//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

extension TrustResult {
    /// The path as NIOSSL's type, or `nil` if the chain is not trusted.
    var validatedChain: ValidatedCertificateChain? {
        guard self.isTrusted, !self.path.isEmpty else { return nil }
        let certificates = try? self.path.map { try NIOSSLCertificate(bytes: $0.derRepresentation, format: .der) }
        return certificates.map { ValidatedCertificateChain($0) }
    }
}
