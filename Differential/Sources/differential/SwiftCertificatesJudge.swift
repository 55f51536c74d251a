//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import SwiftASN1
import X509

/// swift-certificates.
enum SwiftCertificatesJudge {
    static func judge(_ chain: Scenario.Signed) async -> Judgement {
        let leaf: Certificate
        do {
            leaf = try Certificate(derEncoded: chain.leaf)
        } catch {
            return Judgement(reasons: ["unreadable"])
        }
        func store(_ certificates: [[UInt8]]) -> CertificateStore {
            CertificateStore(certificates.compactMap { try? Certificate(derEncoded: $0) })
        }
        let date = Date(timeIntervalSince1970: TimeInterval(chain.time.secondsSinceEpoch))
        var verifier = Verifier(rootCertificates: store(chain.anchors)) {
            RFC5280Policy(fixedValidationTime: date)
            ServerIdentityPolicy(serverHostname: chain.host, serverIP: chain.address)
        }
        switch await verifier.validate(leaf: leaf, intermediates: store(chain.intermediates)) {
        case .validCertificate: return Judgement(reasons: [])
        case .couldNotValidate(let failures):
            let reasons = failures.map { self.short("\($0.policyFailureReason)") }
            return Judgement(reasons: reasons.isEmpty ? ["no chain"] : reasons)
        }
    }

    /// Without the certificates, which are texts of a page each.
    private static func short(_ reason: String) -> String {
        let line = reason.split(whereSeparator: \.isNewline).first.map(String.init) ?? reason
        return line.replacing(/Certificate\(.*\)\)?/, with: "…").prefix(160).description
    }
}
