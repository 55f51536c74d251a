//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and anchors from which an evaluation may build paths, found by their subject.
///
/// The search takes linear time in the size of the input, even if it is hostile. Certificates with one name are sorted
/// once. If many share a name, only the most promising ones are considered.
struct IssuerPool {
    private let anchors: [TrustAnchorSet]
    private let time: Timestamp
    private let supplied: [CertificateView]
    private var names = NameTable()
    /// The supplied certificates by the number of their subject, or `nil` while a search through all of them is cheaper.
    private var suppliedBySubject: [Int: [CertificateView]]?
    /// The issuers with one name, by its number, if there are several.
    private var groups: [Int: IssuerGroup] = [:]
    /// The issuers that were found for a certificate. The search returns to the same certificates.
    private var known: [ObjectIdentifier: [Issuer]] = [:]

    /// `true` if a name has too many issuers, so that some are not considered.
    private(set) var isCut = false

    private static let fewCertificates = 16

    /// Creates a pool of anchors and supplied certificates, in any order and with any duplicates.
    init(supplied: [CertificateView], anchors: [TrustAnchorSet], time: Timestamp) {
        self.anchors = anchors
        self.time = time
        self.supplied = supplied
        if supplied.count > Self.fewCertificates { self.indexSupplied() }
    }

    private mutating func indexSupplied() {
        var seen: Set<CertificateView> = []
        var index: [Int: [CertificateView]] = [:]
        for certificate in self.supplied where seen.insert(certificate).inserted {
            index[self.names.number(of: certificate.subjectName, in: certificate), default: []].append(certificate)
        }
        self.suppliedBySubject = index
    }

    /// The count of octets of folded names, for tests.
    var foldedOctets: Int { self.names.foldedOctets }

    /// Returns the anchor that is the certificate itself.
    func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        let anchors = self.anchors.lazy.compactMap { $0.anchor(matching: certificate) }
        guard let anchor = anchors.first else { return nil }
        return anchors.contains(where: \.isOfSystem) ? anchor.alsoOfSystem() : anchor
    }

    /// Returns the anchors and certificates with the name of a certificate's issuer, the most promising first. The
    /// order does not depend on the order of the input.
    mutating func issuers(of certificate: CertificateView) -> [Issuer] {
        if let known = self.known[ObjectIdentifier(certificate)] { return known }
        let issuers = self.findIssuers(of: certificate)
        self.known[ObjectIdentifier(certificate)] = issuers
        return issuers
    }

    private mutating func findIssuers(of certificate: CertificateView) -> [Issuer] {
        let name = certificate.issuerName
        let anchors = self.anchors(above: certificate)
        guard let certificates = self.fewCertificates(named: name) else {
            return self.issuersByNumber(of: certificate, anchors)
        }
        let others = certificates.filter { candidate in !anchors.contains { $0.certificate == candidate } }
        // A single issuer, as for nearly every name, needs no order.
        if others.isEmpty, anchors.count <= 1 { return anchors }
        if anchors.isEmpty, others.count == 1 { return others.map(Issuer.init) }
        return IssuerGroup(anchors: anchors, certificates: others, rank: self.rank).issuers(of: certificate)
    }

    /// Returns the certificates with a name if few were supplied and their octets alone distinguish the names. `nil`
    /// if names have to be folded. In that case, each is folded once.
    private mutating func fewCertificates(named name: NameSource) -> [CertificateView]? {
        guard self.suppliedBySubject == nil else { return nil }
        var certificates: [CertificateView] = []
        for candidate in self.supplied where candidate.fields.subjectHash == name.hash {
            guard candidate.subjectName.hasSameEncoding(as: name) else {
                self.indexSupplied()
                return nil
            }
            if !certificates.contains(candidate) { certificates.append(candidate) }
        }
        return certificates
    }

    private mutating func issuersByNumber(of certificate: CertificateView, _ anchors: [Issuer]) -> [Issuer] {
        let number = self.names.number(of: certificate.issuerName, in: certificate)
        if let group = self.groups[number] { return group.issuers(of: certificate) }
        let certificates = (self.suppliedBySubject?[number] ?? []).filter { candidate in
            !anchors.contains { $0.certificate == candidate }
        }
        let group = IssuerGroup(anchors: anchors, certificates: certificates, rank: self.rank)
        self.groups[number] = group
        self.isCut = self.isCut || group.isCut
        return group.issuers(of: certificate)
    }

    private mutating func anchors(above certificate: CertificateView) -> [Issuer] {
        var issuers: [Issuer] = []
        for set in self.anchors {
            for anchor in set.candidates(named: certificate.issuerName)
            where self.names(anchor, asIssuerOf: certificate) {
                let known = issuers.firstIndex { $0.isAnchor(of: anchor.form) }
                if let known, anchor.isOfSystem { issuers[known] = issuers[known].alsoOfSystem() }
                if known == nil { issuers.append(Issuer(anchor)) }
            }
        }
        return issuers
    }

    private mutating func names(_ anchor: TrustAnchor, asIssuerOf certificate: CertificateView) -> Bool {
        anchor.name.hasSameEncoding(as: certificate.issuerName)
            || self.names.number(of: anchor) == self.names.number(of: certificate.issuerName, in: certificate)
    }

    /// Returns `true` if an issuer has the subject and the key of a certificate. A path with both would be a loop.
    mutating func isTwin(_ issuer: Issuer, of certificate: CertificateView) -> Bool {
        switch issuer.form {
        case .certificate(let other):
            if other === certificate { return true }
            guard other.mayShareSubjectAndKey(with: certificate),
                PublicKeySource(other).isSameKey(as: PublicKeySource(certificate))
            else { return false }
            return other.subjectName.hasSameEncoding(as: certificate.subjectName)
                || self.names.number(of: other.subjectName, in: other)
                    == self.names.number(of: certificate.subjectName, in: certificate)
        case .anchor(let anchor):
            guard anchor.name.hash == certificate.fields.subjectHash,
                anchor.key.isSameKey(as: PublicKeySource(certificate))
            else { return false }
            return anchor.name.hasSameEncoding(as: certificate.subjectName)
                || self.names.number(of: anchor) == self.names.number(of: certificate.subjectName, in: certificate)
        }
    }

    /// Returns a rank for a certificate as an issuer. A high rank means in date, one step below an anchor, and not self-issued.
    private func rank(_ certificate: CertificateView) -> Int {
        var rank = 0
        if certificate.notBefore <= self.time, self.time <= certificate.notAfter { rank += 4 }
        if self.anchors.contains(where: { !$0.candidates(named: certificate.issuerName).isEmpty }) { rank += 2 }
        if !certificate.isSelfIssued { rank += 1 }
        return rank
    }
}

extension NameTable {
    fileprivate mutating func number(of anchor: TrustAnchor) -> Int {
        anchor.certificate.map { self.number(of: $0.subjectName, in: $0) } ?? self.number(of: anchor.name)
    }
}
