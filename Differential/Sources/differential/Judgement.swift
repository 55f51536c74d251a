//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// What one judge says about a chain: accepted when there are no reasons.
struct Judgement {
    var isAccepted: Bool { self.reasons.isEmpty }
    /// Codes or texts, in the judge's own words.
    let reasons: [String]

    var description: String { self.isAccepted ? "accepted" : self.reasons.joined(separator: "; ") }
}

/// A judge ours is compared with, and the profile of ours that is meant to say the same.
enum Peer: String, CaseIterable, Sendable {
    /// swift-certificates, with RFC5280Policy and ServerIdentityPolicy.
    case swiftCertificates = "swift-certificates"
    /// OpenSSL as it comes.
    case openSSL = "OpenSSL"
    /// OpenSSL with X509_V_FLAG_X509_STRICT.
    case strictOpenSSL = "OpenSSL strict"

    var profile: ValidationProfile {
        switch self {
        case .swiftCertificates, .openSSL: .rfc5280
        case .strictOpenSSL: .webPKI
        }
    }
}

/// This package.
enum OurJudge {
    static func judge(_ chain: Scenario.Signed, _ profile: ValidationProfile) -> Judgement {
        let leaf: CertificateView
        do {
            leaf = try CertificateView(der: chain.leaf)
        } catch {
            return Judgement(reasons: ["malformed \(error.code.rawValue)"])
        }
        let host = chain.host ?? chain.address ?? ""
        let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: host)])
        let anchors = chain.anchors.compactMap { try? CertificateView(der: $0) }.map { TrustAnchor($0) }
        let verdict = PathValidator(
            ValidationRequest(time: chain.time, purposes: [server], profile: profile),
            anchors: [TrustAnchorSet(anchors)]
        ).validate(leaf, intermediates: chain.intermediates.compactMap { try? CertificateView(der: $0) })
        if verdict.isAccepted { return Judgement(reasons: []) }
        var reasons = Set(verdict.rejections.map(\.reason.code))
        // A path that ends early for want of a certificate that could not be read ends for that reason.
        for der in chain.intermediates + chain.anchors {
            do { _ = try CertificateView(der: der) } catch { reasons.insert("malformed \(error.code.rawValue)") }
        }
        return Judgement(reasons: reasons.sorted())
    }
}
