//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
import Crypto
package import Foundation
import ServerTrust
package import ServerTrustTesting

/// What a response of a certificate's issuer says, and until when.
package struct TestStatus: Sendable {
    /// Whether the certificate is revoked.
    package var isRevoked = false
    /// The time at which the response ended, or ends.
    package var end = Date.now.addingTimeInterval(3 * 86_400)

    /// A status.
    package init(isRevoked: Bool = false, end: Date = Date.now.addingTimeInterval(3 * 86_400)) {
        self.isRevoked = isRevoked
        self.end = end
    }
}

extension TestCertificate {
    /// An OCSP response of this authority, which has a key on P-256.
    ///
    /// - Parameters:
    ///   - serial: The serial number of a certificate that it issued.
    ///   - status: What it says. It is a week old at its end.
    package func response(about serial: Int, _ status: TestStatus) throws -> OCSPResponse {
        let key = TestKey.p256(try P256.Signing.PrivateKey(pemRepresentation: self.privateKey.pem))
        let beginning = Self.time(status.end.addingTimeInterval(-7 * 86_400))
        var response = TestOCSPResponse(signer: key)
        response.serial = DER.number(serial)
        response.issuerName = TestDER.name([[.cn(try self.trustCertificate.commonName ?? "")]])
        response.issuerKey = key
        if status.isRevoked { response.status = DER.element(0xA1, DER.generalizedTime(beginning)) }
        (response.thisUpdate, response.producedAt) = (beginning, beginning)
        response.nextUpdate = Self.time(status.end)
        return try response.view()
    }

    private static func time(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }
}
