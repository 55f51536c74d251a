//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and anchors an evaluation may build paths from, found by the name they issue under.
///
/// Looking through it is linear in what was supplied, however hostile: of a name that many certificates share only the
/// most promising ones are considered.
struct IssuerPool {
    private let anchors: [TrustAnchorSet]
    private let time: Timestamp
    private let supplied: [CertificateView]
    /// The supplied certificates by the hash of their subject; `nil` when there are so few that looking at all is cheaper.
    private let suppliedBySubject: [UInt64: [CertificateView]]?
    /// The issuers of certificates that have several: the search comes back to those.
    private var known: [ObjectIdentifier: [Issuer]] = [:]

    private static let fewCertificates = 16
    /// More issuers of one name than any honest server sends, and than there are signatures to verify.
    private static let maximumIssuers = 128

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
        if let known = self.known[ObjectIdentifier(certificate)] { return known }
        var issuers = self.anchors(named: certificate.issuerName)
        self.addSupplied(named: certificate.issuerName, of: certificate, to: &issuers)
        guard issuers.count > 1 else { return issuers }
        issuers.sort { self.isBetter($0, $1, for: certificate) }
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

    private func addSupplied(named name: NameSource, of child: CertificateView, to issuers: inout [Issuer]) {
        let anchorCount = issuers.count
        for candidate in self.suppliedBySubject.map({ $0[name.hash] ?? [] }) ?? self.supplied
        where candidate.subjectName.isSameName(as: name) {
            // What is indexed is unique; only the few certificates that are not indexed are compared with each other.
            let end = self.suppliedBySubject == nil ? issuers.count : anchorCount
            let isKnown = issuers[..<end].contains { $0.certificate == candidate }
            if !isKnown { self.add(Issuer(candidate), of: child, to: &issuers) }
        }
    }

    /// Keeps the most promising ones. The list is sorted when it is full for the first time, so that most of what follows
    /// costs one comparison.
    private func add(_ issuer: Issuer, of child: CertificateView, to issuers: inout [Issuer]) {
        guard issuers.count >= Self.maximumIssuers else {
            issuers.append(issuer)
            if issuers.count == Self.maximumIssuers { issuers.sort { self.isBetter($0, $1, for: child) } }
            return
        }
        guard let worst = issuers.last, self.isBetter(issuer, worst, for: child) else { return }
        issuers.removeLast()
        let place = issuers.firstIndex { self.isBetter(issuer, $0, for: child) } ?? issuers.count
        issuers.insert(issuer, at: place)
    }

    private func isBetter(_ left: Issuer, _ right: Issuer, for child: CertificateView) -> Bool {
        let (leftRank, rightRank) = (self.rank(left, for: child), self.rank(right, for: child))
        return leftRank != rightRank ? leftRank > rightRank : left.precedes(right)
    }

    /// How promising an issuer is: an anchor, a matching key identifier, in date, one step below an anchor, not
    /// self-signed.
    private func rank(_ issuer: Issuer, for child: CertificateView) -> Int {
        var rank = 0
        if case .anchor = issuer.form { rank += 32 }
        guard let certificate = issuer.certificate else { return rank }
        switch child.keyIdentifierMatches(issuer: certificate) {
        case true?: rank += 16
        case false?: rank -= 64
        case nil: break
        }
        if certificate.notBefore <= self.time, self.time <= certificate.notAfter { rank += 8 }
        if self.anchors.contains(where: { !$0.candidates(named: certificate.issuerName).isEmpty }) { rank += 4 }
        if !certificate.isSelfIssued { rank += 2 }
        return rank
    }
}
