//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
import Crypto
import CryptoExtras
import Foundation
import ServerTrust
package import ServerTrustTesting

extension TestCertificate {
    /// A list of this authority, which has a key on P-256 or of RSA, current from a day ago for a month.
    ///
    /// - Parameter serials: What it revokes.
    package func revocationList(revoking serials: [Int]) throws -> CertificateList {
        let pem = try self.privateKey.pem
        let key: TestKey =
            self.privateKey.kind == .p256
            ? .p256(try P256.Signing.PrivateKey(pemRepresentation: pem))
            : .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: pem))
        let name = TestDER.name([[.cn(try self.trustCertificate.commonName ?? "")]])
        let authority = CraftedAuthority(name: name, key)
        return try TestRevocationList(authority, revoking: serials.map { DER.number($0) }) { list in
            list.thisUpdate = DER.utcTime(Self.text(Date.now.addingTimeInterval(-86_400)))
            list.nextUpdate = DER.utcTime(Self.text(Date.now.addingTimeInterval(30 * 86_400)))
        }.view()
    }

    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }
}
