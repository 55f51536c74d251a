//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

/// The certificates that a peer presented, in DER, its own first.
struct PresentedCertificates {
    let octets: [[UInt8]]

    /// Copies the certificates of a handshake.
    ///
    /// - Parameters:
    ///   - certificates: The certificates from NIOSSL.
    ///   - limit: The maximum number of certificates.
    /// - Throws: ``TooManyCertificates`` above the limit, or NIOSSL's error for a certificate that it cannot encode.
    init(_ certificates: [NIOSSLCertificate], atMost limit: Int) throws {
        guard certificates.count <= limit else { throw TooManyCertificates() }
        self.octets = try certificates.map { try $0.toDERBytes() }
    }

    /// Parses the certificates. Certificates after the peer's own are skipped if they cannot be read.
    ///
    /// - Throws: The error of the peer's own certificate if it cannot be read.
    func parsed() throws -> [Certificate] {
        let leaf = try self.octets.prefix(1).map { try Certificate(der: $0) }
        return leaf + self.octets.dropFirst().compactMap { try? Certificate(der: $0) }
    }
}

/// The error for a peer with more certificates than the settings accept.
struct TooManyCertificates: Error, CustomStringConvertible {
    let description = "The peer sent more certificates than are accepted."
}
