//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A signed certificate timestamp to be written. The entry is built from the certificate's template, not from the code that
/// is tested.
package struct TestTimestamp: Sendable {
    package var log: TestKey
    package var version: UInt8 = 0
    /// 2026-05-31T00:00:00Z.
    package var milliseconds: UInt64 = 1_780_185_600_000
    package var extensions: [UInt8] = []
    package var hashAlgorithm: UInt8 = 4
    package var signatureAlgorithm: UInt8 = 3
    /// What is signed with, when it is not the log's key.
    package var signer: TestKey?
    /// What is named, when it is not the digest of the log's key.
    package var logIdentifier: [UInt8]?
    package var trailer: [UInt8] = []

    package init(_ number: UInt16) { self.log = .p256(number) }

    /// What a log signs about a certificate that has its timestamps elsewhere.
    package static func entry(_ certificate: [UInt8]) -> [UInt8] { [0, 0] + Self.long(certificate) }

    /// What a log signs about a certificate before the timestamps are put in.
    package static func entry(_ template: CraftedCertificate, issuer: TestKey) -> [UInt8] {
        [0, 1] + Array(SHA256.hash(data: issuer.info)) + Self.long(template.body())
    }

    private static func long(_ octets: [UInt8]) -> [UInt8] {
        [16, 8, 0].map { UInt8(truncatingIfNeeded: octets.count >> $0) } + octets
    }

    package static func vector(_ octets: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: octets.count >> 8), UInt8(truncatingIfNeeded: octets.count)] + octets
    }

    package func encoded(_ entry: [UInt8]) throws -> [UInt8] {
        let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: self.milliseconds >> ($0 * 8)) }
        let message = [0, 0] + time + entry + Self.vector(self.extensions)
        let key = self.signer ?? self.log
        let signature = try key.sign(message, self.hashAlgorithm == 2 ? .ecdsaSHA1 : key.algorithm)
        let identifier = self.logIdentifier ?? Array(SHA256.hash(data: self.log.info))
        return [self.version] + identifier + time + Self.vector(self.extensions)
            + [self.hashAlgorithm, self.signatureAlgorithm] + Self.vector(signature) + self.trailer
    }

    package static func list(_ timestamps: [TestTimestamp], _ entry: [UInt8]) throws -> [UInt8] {
        Self.vector(try timestamps.flatMap { Self.vector(try $0.encoded(entry)) })
    }
}

extension TestExtension {
    /// The extension with a list of timestamps (RFC 6962 §3.3).
    package static func timestamps(_ list: [UInt8]) -> TestExtension {
        TestExtension("1.3.6.1.4.1.11129.2.4.2", DER.octetString(list))
    }
}
