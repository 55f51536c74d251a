//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Numbers for the names of one evaluation: equal names have one number, and each name is folded once.
///
/// The search compares names again and again, and a stranger chooses them: written in several ways, with hashes that
/// collide. Numbers cost the same whatever the names are.
struct NameTable {
    private var numbers: [FoldedName: Int] = [:]
    private var subjects: [ObjectIdentifier: Int] = [:]
    private var issuers: [ObjectIdentifier: Int] = [:]
    /// The octets of names that were folded, for budgets and tests.
    private(set) var foldedOctets = 0

    /// Returns the number of a certificate's subject.
    mutating func number(ofSubjectOf certificate: CertificateView) -> Int {
        let identifier = ObjectIdentifier(certificate)
        if let number = self.subjects[identifier] { return number }
        let number = self.number(of: certificate.subjectName)
        self.subjects[identifier] = number
        return number
    }

    /// Returns the number of a certificate's issuer.
    mutating func number(ofIssuerOf certificate: CertificateView) -> Int {
        let identifier = ObjectIdentifier(certificate)
        if let number = self.issuers[identifier] { return number }
        let number = self.number(of: certificate.issuerName)
        self.issuers[identifier] = number
        return number
    }

    /// Returns the number of an anchor's name.
    mutating func number(of anchor: TrustAnchor) -> Int {
        anchor.certificate.map { self.number(ofSubjectOf: $0) } ?? self.number(of: anchor.name)
    }

    private mutating func number(of name: NameSource) -> Int {
        self.foldedOctets += name.range.count
        let folded = FoldedName(name.range, in: name.bytes.span)
        if let number = self.numbers[folded] { return number }
        self.numbers[folded] = self.numbers.count
        return self.numbers.count - 1
    }
}
