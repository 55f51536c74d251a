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
    ///   - known: Certificates that need not be parsed again where the same octets are presented.
    /// - Throws: ``TooManyCertificates``; the error of the peer's own certificate where that cannot be read.
    init(
        presented certificates: [NIOSSLCertificate], atMost limit: Int, knowing known: [Certificate] = []
    ) throws {
        guard certificates.count <= limit else { throw TooManyCertificates() }
        self = []
        self.reserveCapacity(certificates.count)
        for (index, certificate) in certificates.enumerated() {
            do {
                self.append(try known.certificate(der: certificate.toDERBytes()))
            } catch {
                if index == 0 { throw error }
            }
        }
    }

    /// The certificate with these octets, parsed now where it is not among these.
    private func certificate(der: [UInt8]) throws -> Certificate {
        try self.first { $0.view.hasBytes(der) } ?? Certificate(der: der)
    }
}

/// More certificates than the settings accept.
struct TooManyCertificates: Error, CustomStringConvertible {
    let description = "The peer sent more certificates than are accepted."
}
