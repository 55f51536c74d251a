//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The possible issuers with one name, in an order that does not depend on the order of the input.
struct IssuerGroup {
    /// The issuers of a certificate that does not name its issuer's key: anchors first, then the most promising certificates.
    let issuers: [Issuer]
    /// The remaining certificates above the limit, by their key identifiers.
    private let others: [[UInt8]: [Issuer]]
    /// `true` if there are more certificates with the name than are considered.
    let isCut: Bool

    /// The limit on certificates with one name, above the number that an honest server sends and the number of
    /// signatures in the budget.
    private static let maximumCertificates = 128

    private struct Ranked {
        let certificate: CertificateView
        let rank: Int

        func precedes(_ other: Ranked) -> Bool {
            self.rank != other.rank ? self.rank > other.rank : self.certificate.precedes(other.certificate)
        }
    }

    init(anchors: [Issuer], certificates: [CertificateView], rank: (CertificateView) -> Int) {
        var ranked = certificates.map { Ranked(certificate: $0, rank: rank($0)) }
        var others: [[UInt8]: [Issuer]] = [:]
        if ranked.count > Self.maximumCertificates {
            let rest = Self.select(Self.maximumCertificates, from: &ranked)
            for certificate in rest.map(\.certificate) {
                let identifier = certificate.bytes[certificate.fields.extensions.subjectKeyIdentifier]
                guard !identifier.isEmpty else { continue }
                others[identifier, default: []].append(Issuer(certificate))
            }
        }
        ranked.sort { $0.precedes($1) }
        let ordered = anchors.count > 1 ? anchors.sorted { $0.precedes($1) } : anchors
        self.issuers = ordered + ranked.map { Issuer($0.certificate) }
        self.others = others
        self.isCut = certificates.count > Self.maximumCertificates
    }

    /// Keeps the best certificates and returns the others. Most of them need only one comparison.
    private static func select(_ count: Int, from ranked: inout [Ranked]) -> [Ranked] {
        var best = ranked.prefix(count).sorted { $0.precedes($1) }
        var rest: [Ranked] = []
        for candidate in ranked.dropFirst(count) {
            guard let worst = best.last, candidate.precedes(worst) else {
                rest.append(candidate)
                continue
            }
            rest.append(best.removeLast())
            let place = best.firstIndex { candidate.precedes($0) } ?? best.count
            best.insert(candidate, at: place)
        }
        ranked = best
        return rest
    }

    /// Returns the issuers of a certificate. If it names its issuer's key, the order is: anchors, issuers with that
    /// key identifier, issuers without one, and issuers with another one.
    func issuers(of certificate: CertificateView) -> [Issuer] {
        guard !certificate.fields.extensions.authorityKeyIdentifier.isEmpty else { return self.issuers }
        let wanted = certificate.bytes[certificate.fields.extensions.authorityKeyIdentifier]
        let more = (self.others[wanted] ?? []).sorted { $0.precedes($1) }.prefix(Self.maximumCertificates)
        var (anchors, matching, neutral, contradicted): ([Issuer], [Issuer], [Issuer], [Issuer]) = ([], [], [], [])
        for issuer in self.issuers + more {
            switch issuer.certificate.flatMap({ certificate.keyIdentifierMatches(issuer: $0) }) {
            case false?: contradicted.append(issuer)
            case _ where issuer.isAnchor: anchors.append(issuer)
            case true?: matching.append(issuer)
            case nil: neutral.append(issuer)
            }
        }
        return anchors + matching + neutral + contradicted
    }
}
