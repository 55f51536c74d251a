//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and anchors an evaluation may build paths from, found by the name they issue under.
///
/// Looking through it is linear in what was supplied, however hostile: certificates of one name are put in order once, and
/// of a name that many share only the most promising ones are considered.
struct IssuerPool {
    private let anchors: [TrustAnchorSet]
    private let time: Timestamp
    private let supplied: [CertificateView]
    /// The supplied certificates by the hash of their subject; `nil` when there are so few that looking at all is cheaper.
    private let suppliedBySubject: [UInt64: [CertificateView]]?
    /// The issuers of one name, by its hash, where there are several.
    private var groups: [UInt64: [IssuerGroup]] = [:]
    /// The issuers of certificates that name a key: the search comes back to those.
    private var known: [ObjectIdentifier: [Issuer]] = [:]

    private static let fewCertificates = 16

    /// A pool of supplied certificates, in any order and any number of times, and anchors.
    init(supplied: [CertificateView], anchors: [TrustAnchorSet], time: Timestamp) {
        self.anchors = anchors
        self.time = time
        self.supplied = supplied
        self.suppliedBySubject = supplied.count <= Self.fewCertificates ? nil : Self.index(supplied)
    }

    private static func index(_ certificates: [CertificateView]) -> [UInt64: [CertificateView]] {
        var seen: Set<CertificateView> = []
        let unique = certificates.filter { seen.insert($0).inserted }
        return Dictionary(grouping: unique, by: \.fields.subjectHash)
    }

    /// The anchor that is the certificate itself.
    func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        for set in self.anchors {
            if let anchor = set.anchor(matching: certificate) { return anchor }
        }
        return nil
    }

    /// The anchors and certificates whose name is the issuer of a certificate, most promising first, in an order that
    /// does not depend on how they were supplied.
    mutating func issuers(of certificate: CertificateView) -> [Issuer] {
        let name = certificate.issuerName
        if !self.groups.isEmpty, let group = self.groups[name.hash]?.first(where: { $0.name.isSameName(as: name) }) {
            return self.issuers(of: certificate, in: group)
        }
        let anchors = self.anchors(named: name)
        let certificates = self.certificates(named: name, besides: anchors)
        // One issuer, as nearly every name has, needs no order.
        if certificates.isEmpty, anchors.count <= 1 { return anchors }
        if anchors.isEmpty, certificates.count == 1 { return certificates.map(Issuer.init) }
        let group = IssuerGroup(name: name, anchors: anchors, certificates: certificates, rank: self.rank)
        self.groups[name.hash, default: []].append(group)
        return self.issuers(of: certificate, in: group)
    }

    private mutating func issuers(of certificate: CertificateView, in group: IssuerGroup) -> [Issuer] {
        guard !certificate.fields.extensions.authorityKeyIdentifier.isEmpty else { return group.issuers }
        if let known = self.known[ObjectIdentifier(certificate)] { return known }
        let issuers = group.issuers(of: certificate)
        self.known[ObjectIdentifier(certificate)] = issuers
        return issuers
    }

    private func anchors(named name: NameSource) -> [Issuer] {
        var issuers: [Issuer] = []
        for set in self.anchors {
            for anchor in set.candidates(named: name) where anchor.name.isSameName(as: name) {
                let isKnown = issuers.contains { $0.isAnchor(of: anchor.form) }
                if !isKnown { issuers.append(Issuer(anchor)) }
            }
        }
        return issuers
    }

    private func certificates(named name: NameSource, besides anchors: [Issuer]) -> [CertificateView] {
        var certificates: [CertificateView] = []
        for candidate in self.suppliedBySubject.map({ $0[name.hash] ?? [] }) ?? self.supplied
        where candidate.subjectName.isSameName(as: name) {
            // What is indexed is unique; only the few certificates that are not indexed are compared with each other.
            let isKnown = self.suppliedBySubject == nil && certificates.contains(candidate)
            if !isKnown, !anchors.contains(where: { $0.certificate == candidate }) { certificates.append(candidate) }
        }
        return certificates
    }

    /// How promising a certificate is as an issuer: in date, one step below an anchor, not self-signed.
    private func rank(_ certificate: CertificateView) -> Int {
        var rank = 0
        if certificate.notBefore <= self.time, self.time <= certificate.notAfter { rank += 4 }
        if self.anchors.contains(where: { !$0.candidates(named: certificate.issuerName).isEmpty }) { rank += 2 }
        if !certificate.isSelfIssued { rank += 1 }
        return rank
    }
}
