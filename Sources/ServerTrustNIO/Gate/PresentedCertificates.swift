//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

extension [Certificate] {
    /// What a peer presented, its own certificate first. Of what comes after its own, what cannot be read is as good as not
    /// sent.
    ///
    /// - Parameters:
    ///   - certificates: What NIOSSL gives.
    ///   - limit: The number that is accepted.
    /// - Throws: ``TooManyCertificates``; the error of the peer's own certificate where that cannot be read.
    init(presented certificates: [NIOSSLCertificate], atMost limit: Int) throws {
        guard certificates.count <= limit else { throw TooManyCertificates() }
        let leaf = try certificates.prefix(1).map { try Certificate(der: $0.toDERBytes()) }
        self = leaf + certificates.dropFirst().compactMap { try? Certificate(der: $0.toDERBytes()) }
    }
}

/// More certificates than the settings accept.
struct TooManyCertificates: Error, CustomStringConvertible {
    let description = "The peer sent more certificates than are accepted."
}
