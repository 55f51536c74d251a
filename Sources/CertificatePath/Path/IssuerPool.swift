//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and anchors an evaluation may build paths from, found by the name they issue under.
///
/// What is reached is numbered once; from then on the search compares numbers instead of names and keys, so that a step
/// costs the same however large or hostile the pile is.
struct IssuerPool {
    private struct Node {
        let certificate: CertificateView
        /// The same for certificates of one subject and key.
        let identity: Int
        /// The possible issuers, most promising first; `nil` until they are asked for.
        var issuers: [Issuer]?
    }

    private let anchors: [TrustAnchorSet]
    private let time: Timestamp
    private let maximumIssuers: Int
    private let supplied: [CertificateView]
    /// The supplied certificates by the hash of their subject; `nil` when there are so few that looking at all is cheaper.
    private let suppliedBySubject: [UInt64: [CertificateView]]?
    private var nodes: [Node] = []

    /// A pool of supplied certificates, in any order and any number of times, and anchors.
    ///
    /// - Parameter maximumIssuers: How many issuers of one name are of use: more than there are signatures to verify.
    init(supplied: [CertificateView], anchors: [TrustAnchorSet], time: Timestamp, maximumIssuers: Int) {
        self.maximumIssuers = max(1, maximumIssuers)
        self.anchors = anchors
        self.time = time
        self.supplied = supplied
        self.suppliedBySubject = supplied.count <= Self.fewCertificates ? nil : Self.index(supplied)
    }

    private static let fewCertificates = 16

    private static func index(_ certificates: [CertificateView]) -> [UInt64: [CertificateView]] {
        var seen: Set<CertificateView> = []
        let unique = certificates.filter { seen.insert($0).inserted }
        return Dictionary(grouping: unique, by: \.fields.subjectHash)
    }

    /// Takes a certificate in, and gives its number.
    mutating func number(of certificate: CertificateView) -> Int {
        if let known = self.nodes.firstIndex(where: { $0.certificate === certificate }) { return known }
        let number = self.nodes.count
        let twin = self.nodes.first { $0.certificate.hasSubjectAndKey(of: certificate) }
        self.nodes.append(Node(certificate: certificate, identity: twin?.identity ?? number, issuers: nil))
        return number
    }

    func certificate(_ number: Int) -> CertificateView { self.nodes[number].certificate }

    /// Whether two certificates have the same subject and key: a path through both would go in circles.
    func areTwins(_ left: Int, _ right: Int) -> Bool { self.nodes[left].identity == self.nodes[right].identity }

    /// The anchor that is the certificate itself.
    func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        for set in self.anchors {
            if let anchor = set.anchor(matching: certificate) { return anchor }
        }
        return nil
    }

    /// The anchors and certificates whose name is the issuer of a certificate, most promising first, in an order that
    /// does not depend on how they were supplied.
    mutating func issuers(of number: Int) -> [Issuer] {
        if let known = self.nodes[number].issuers { return known }
        let issuers = self.findIssuers(of: self.nodes[number].certificate)
        self.nodes[number].issuers = issuers
        return issuers
    }

    private mutating func findIssuers(of certificate: CertificateView) -> [Issuer] {
        let name = certificate.issuerName
        var issuers: [Issuer] = []
        for set in self.anchors {
            for anchor in set.candidates(named: name) where anchor.name.isSameName(as: name) {
                let isKnown = issuers.contains { $0.isAnchor(of: anchor.form) }
                if !isKnown { issuers.append(Issuer(anchor)) }
            }
        }
        let anchorCount = issuers.count
        for candidate in self.suppliedBySubject.map({ $0[name.hash] ?? [] }) ?? self.supplied
        where candidate.subjectName.isSameName(as: name) {
            // What is indexed is there once already; comparing all with all is for the few that are not.
            let others = self.suppliedBySubject == nil ? issuers[...] : issuers.prefix(anchorCount)
            let isKnown = others.contains { $0.certificate == candidate }
            if !isKnown { issuers.append(Issuer(candidate)) }
        }
        if issuers.count > 1 {
            issuers = issuers.map { ($0.rank(for: certificate, at: self.time), $0) }
                .sorted { $0.0 != $1.0 ? $0.0 > $1.0 : $0.1.precedes($1.1) }.prefix(self.maximumIssuers).map(\.1)
        }
        for index in issuers.indices {
            guard case .certificate(let supplied) = issuers[index].form else { continue }
            issuers[index].number = self.number(of: supplied)
        }
        return issuers
    }
}

extension CertificateView {
    fileprivate func hasSubjectAndKey(of other: CertificateView) -> Bool {
        let (own, theirs) = (self.fields, other.fields)
        return equalBytes(self.bytes, own.subjectPublicKeyInfo.whole, other.bytes, theirs.subjectPublicKeyInfo.whole)
            && self.subjectName.isSameName(as: other.subjectName)
    }
}
