//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import ServerTrust
import ServerTrustTesting

@testable import AppleSecurity

/// An OCSP response about one certificate, signed by its issuer (RFC 6960 §4.2.1).
enum OCSPAnswer {
    enum Status { case good, revoked }

    static func encoded(
        about certificate: SecCertificate, issuer: SecCertificate, key: TestPrivateKey, _ status: Status,
        now: Date = Date()
    ) throws -> Data {
        let single = self.sequence(
            self.identifier(certificate.certificate, issuer.certificate), self.status(status, now),
            self.time(now.addingTimeInterval(-60)), TLV.encoded(0xA0, self.time(now.addingTimeInterval(3_600))))
        let responder = TLV.encoded(0xA1, issuer.certificate.view.encodedSubject)
        let data = self.sequence(responder, self.time(now.addingTimeInterval(-60)), self.sequence(single))
        let signer = try P256.Signing.PrivateKey(pemRepresentation: key.pem)
        let signature = TLV.encoded(3, [0] + Array(try signer.signature(for: Data(data)).derRepresentation))
        let basic = self.sequence(data, self.sequence([6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]), signature)
        let bytes = self.sequence([6, 9, 0x2B, 6, 1, 5, 5, 7, 0x30, 1, 1], TLV.encoded(4, basic))
        return Data(self.sequence([0x0A, 1, 0], TLV.encoded(0xA0, bytes)))
    }

    private static func identifier(_ certificate: Certificate, _ issuer: Certificate) -> [UInt8] {
        func digest(_ octets: [UInt8]) -> [UInt8] { TLV.encoded(4, Array(Insecure.SHA1.hash(data: octets))) }
        return self.sequence(
            self.sequence([6, 5, 0x2B, 0x0E, 3, 2, 0x1A], [5, 0]), digest(issuer.view.encodedSubject),
            digest(issuer.view.publicKeyBytes), TLV.encoded(2, certificate.serialNumber))
    }

    private static func status(_ status: Status, _ now: Date) -> [UInt8] {
        switch status {
        case .good: [0x80, 0]
        case .revoked: TLV.encoded(0xA1, self.time(now.addingTimeInterval(-600)) + TLV.encoded(0xA0, [0x0A, 1, 1]))
        }
    }

    private static func time(_ date: Date) -> [UInt8] {
        let parts = Calendar.gregorianUTC.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func digits(_ part: Int?, _ count: Int) -> String {
            let text = "\(part ?? 0)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let text =
            digits(parts.year, 4)
            + [parts.month, parts.day, parts.hour, parts.minute, parts.second].map { digits($0, 2) }.joined()
        return TLV.encoded(0x18, Array("\(text)Z".utf8))
    }

    private static func sequence(_ parts: [UInt8]...) -> [UInt8] { TLV.encoded(0x30, parts.flatMap { $0 }) }
}

extension Calendar {
    fileprivate static var gregorianUTC: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }
}
