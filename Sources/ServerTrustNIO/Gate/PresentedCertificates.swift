//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

/// What a peer presented, in DER, its own certificate first.
struct PresentedCertificates {
    let octets: [[UInt8]]

    /// - Parameters:
    ///   - certificates: What NIOSSL gives.
    ///   - limit: The number that is accepted.
    /// - Throws: ``TooManyCertificates``; NIOSSL's error for what it cannot write.
    init(_ certificates: [NIOSSLCertificate], atMost limit: Int) throws {
        guard certificates.count <= limit else { throw TooManyCertificates() }
        self.octets = try certificates.map { try $0.toDERBytes() }
    }

    /// Of what comes after the peer's own certificate, what cannot be read is as good as not sent.
    ///
    /// - Throws: The error of the peer's own certificate where that cannot be read.
    func parsed() throws -> [Certificate] {
        let leaf = try self.octets.prefix(1).map { try Certificate(der: $0) }
        return leaf + self.octets.dropFirst().compactMap { try? Certificate(der: $0) }
    }
}

/// More certificates than the settings accept.
struct TooManyCertificates: Error, CustomStringConvertible {
    let description = "The peer sent more certificates than are accepted."
}
