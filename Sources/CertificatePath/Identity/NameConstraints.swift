//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The name constraints of one issuing certificate, prepared for checking the certificates below it (RFC 5280 §4.2.1.10).
///
/// RFC 5280 §6.1.4 (g) intersects the permitted subtrees of a path and unites the excluded ones. A name is in the
/// intersection exactly if it satisfies the constraints of every issuer. Each issuer's constraints are therefore
/// checked separately, and no intersection is computed. Apple's intersection gets PKITS DNnameConstraintsTest13 wrong.
package struct NameConstraints: Sendable {
    let bytes: [UInt8]
    /// The content of the SEQUENCE: `[0]` permitted and `[1]` excluded subtrees.
    let content: ByteRange
    private let isCritical: Bool
    /// `true` if mail addresses in the subject are checked even if the certificate has alternative names, as Apple does.
    var alwaysConstrainsSubjectMailboxes = true
    private var permitted: NameSubtrees
    private var excluded: NameSubtrees
    /// The reason that no certificate can be checked, or `nil`.
    private var refusal: NameConstraintViolation.Kind?

    /// Reads the name constraints of a certificate. `nil` if it has none.
    ///
    /// - Parameters:
    ///   - issuer: A certificate that is an issuer in a path.
    ///   - isCritical: `true` if a name of a constrained but unsupported form is a violation. Apple rejects it for
    ///     critical extensions only. A malformed extension rejects every certificate in both cases.
    ///   - acceptsLeadingDot: `true` if a DNS constraint may begin with a dot, which RFC 5280 does not define.
    ///   - maximumSubtrees: The maximum number of subtrees, permitted and excluded together. Apple accepts 1,023.
    init?(of issuer: CertificateView, isCritical: Bool, acceptsLeadingDot: Bool = true, maximumSubtrees: Int?) {
        guard issuer.has(.nameConstraints) else { return nil }
        self.init(
            issuer.fields.extensions.nameConstraints, in: issuer.bytes, isCritical: isCritical,
            acceptsLeadingDot: acceptsLeadingDot, maximumSubtrees: maximumSubtrees
        )
    }

    /// Reads the content of a NameConstraints SEQUENCE from any source.
    init(
        _ content: ByteRange, in bytes: [UInt8], isCritical: Bool, acceptsLeadingDot: Bool = true, maximumSubtrees: Int?
    ) {
        self.bytes = bytes
        self.content = content
        self.isCritical = isCritical
        self.permitted = NameSubtrees(acceptsLeadingDot: acceptsLeadingDot)
        self.excluded = NameSubtrees(acceptsLeadingDot: acceptsLeadingDot)
        do {
            try self.read(bytes.span, maximumSubtrees: maximumSubtrees)
        } catch {
            self.refusal = .unreadable
        }
    }

    private mutating func read(_ bytes: Span<UInt8>, maximumSubtrees: Int?) throws(DERError) {
        // RFC 5280 §4.2.1.10 forbids an empty extension. Parsing leaves the content empty if a non-critical extension is malformed.
        guard !self.content.isEmpty else { throw DERError(.emptyCollection, at: self.content.lowerBound) }
        var count = 0
        try Self.forEachSubtree(in: self.content, bytes) { _, _ in count += 1 }
        if let maximumSubtrees, count > maximumSubtrees {
            self.refusal = .tooManySubtrees(count: count)
            return
        }
        var (permitted, excluded) = (self.permitted, self.excluded)
        try Self.forEachSubtree(in: self.content, bytes) { subtree, isExcluded in
            if isExcluded { excluded.insert(subtree, in: bytes) } else { permitted.insert(subtree, in: bytes) }
        }
        permitted.finish()
        excluded.finish()
        self.permitted = permitted
        self.excluded = excluded
    }

    /// Returns the comparisons that reading a certificate's name constraints costs: one for each subtree, and those for
    /// folding its directory names. Zero if the constraints are malformed.
    static func readingCost(of issuer: CertificateView) -> Int {
        let bytes = issuer.bytes
        var cost = 0
        do {
            try Self.forEachSubtree(in: issuer.fields.extensions.nameConstraints, bytes.span) { name, _ in
                cost += 1 + Self.foldingCost(of: name)
            }
        } catch {
            return 0
        }
        return cost
    }

    private static func foldingCost(of name: GeneralName) -> Int {
        name.form == .directoryName ? name.content.count / Self.octetsPerComparison : 0
    }

    /// The octets of a directory name that cost as much to fold as one look-up.
    private static let octetsPerComparison = 8

    /// Returns the text of the first permitted and excluded subtrees of a certificate, or none if they are malformed.
    package static func texts(of issuer: CertificateView) -> (permitted: [String], excluded: [String]) {
        let bytes = issuer.bytes
        var (permitted, excluded): ([String], [String]) = ([], [])
        try? Self.forEachSubtree(in: issuer.fields.extensions.nameConstraints, bytes.span) { name, isExcluded in
            guard permitted.count + excluded.count < 40 else { return }
            let text = GeneralNameText.text(ofSubtree: name, in: bytes.span)
            if isExcluded { excluded.append(text) } else { permitted.append(text) }
        }
        return (permitted, excluded)
    }

    /// Returns the permitted directory names of a certificate's name constraints, or none if they are malformed.
    static func permittedDirectories(of issuer: CertificateView) -> [ByteRange] {
        let bytes = issuer.bytes
        var names: [ByteRange] = []
        do {
            try Self.forEachSubtree(in: issuer.fields.extensions.nameConstraints, bytes.span) { name, isExcluded in
                if !isExcluded, name.form == .directoryName { names.append(name.content) }
            }
        } catch {
            return []
        }
        return names
    }

    /// `true` if a constraint has a form that cannot be compared.
    var mentionsUnsupportedForm: Bool {
        self.permitted.mentionsUnsupportedForm || self.excluded.mentionsUnsupportedForm
    }

    /// Calls a closure for each subtree. Parsing has checked that the minimum is zero and the maximum absent.
    static func forEachSubtree(
        in content: ByteRange, _ bytes: Span<UInt8>, _ body: (GeneralName, _ isExcluded: Bool) -> Void
    ) throws(DERError) {
        var lists = DERReader(content, in: bytes)
        for number in UInt8(0)...1 {
            guard let list = try lists.optional(.constructed(number), in: bytes) else { continue }
            var subtrees = DERReader(list.content, in: bytes)
            while !subtrees.isAtEnd {
                var subtree = try subtrees.nested(.sequence, in: bytes)
                body(try subtree.generalName(in: bytes), number == 1)
            }
        }
        try lists.finish()
    }
}

extension NameConstraints {
    /// Returns the first violation among the names of a certificate below the issuer, or `nil` if every name is allowed.
    ///
    /// The caller selects the certificates below the issuer, and exempts self-issued ones unless they end the path
    /// (RFC 5280 §6.1.3). The common name is not checked. It names no server either (RFC 9525 §2), so a host name in
    /// it cannot bypass constraints on DNS names.
    ///
    /// - Parameters:
    ///   - certificate: The certificate with the names.
    ///   - includingSubject: `true` to check the subject and the mail addresses in it like alternative names.
    ///   - budget: The comparisons left, which the check reduces.
    func check(
        _ certificate: CertificateView, includingSubject: Bool = true, budget: inout NameConstraintBudget
    ) -> NameConstraintViolation? {
        if let refusal { return NameConstraintViolation(refusal) }
        let bytes = certificate.bytes
        do {
            if includingSubject, let violation = try self.checkSubject(of: certificate, in: bytes.span, &budget) {
                return violation
            }
            let names = certificate.fields.extensions.subjectAlternativeName
            return try self.checkNames(names, in: bytes.span, &budget)
        } catch {
            // Parsing has read all of these names. A name that is unreadable here was not checked.
            return NameConstraintViolation(.malformedName)
        }
    }

    private func checkNames(
        _ names: ByteRange, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) throws(DERError) -> NameConstraintViolation? {
        var reader = DERReader(names, in: bytes)
        while !reader.isAtEnd {
            let name = try reader.generalName(in: bytes)
            if let kind = self.check(name, in: bytes, &budget) {
                return self.violation(kind, name, in: bytes, isInSubject: false)
            }
        }
        return nil
    }

    /// Checks the subject (RFC 5280 §4.2.1.10). A subject that is not empty is a directory name. Its legacy
    /// emailAddress attributes are mail addresses. RFC 5280 checks those only if there is no alternative name, and
    /// Apple always does.
    private func checkSubject(
        of certificate: CertificateView, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) throws(DERError) -> NameConstraintViolation? {
        let subject = GeneralName(form: .directoryName, content: certificate.fields.subject)
        guard !subject.content.isEmpty, self.constrains(.directoryName) || self.constrains(.rfc822Name) else {
            return nil
        }
        guard !certificate.fields.hasMalformedName else {
            return NameConstraintViolation(.malformedName, form: .directoryName, isInSubject: true)
        }
        if let kind = self.check(subject, in: bytes, &budget) {
            return self.violation(kind, subject, in: bytes, isInSubject: true)
        }
        guard self.alwaysConstrainsSubjectMailboxes || !certificate.has(.subjectAlternativeName) else { return nil }
        var names = DERReader(subject.content, in: bytes)
        while self.constrains(.rfc822Name), !names.isAtEnd {
            var attributes = try names.nested(.set, in: bytes)
            while !attributes.isAtEnd {
                let attribute = try DistinguishedName.Attribute(from: &attributes, in: bytes)
                guard PackedOID(attribute.type, in: bytes) == Self.emailAddress else { continue }
                let name = GeneralName(form: .rfc822Name, content: attribute.value)
                guard let kind = self.check(name, in: bytes, &budget) else { continue }
                return self.violation(kind, name, in: bytes, isInSubject: true)
            }
        }
        return nil
    }

    private func constrains(_ form: GeneralNameForm) -> Bool {
        self.permitted.mentions(form) || self.excluded.mentions(form)
    }

    @inline(__always)
    private func check(
        _ name: GeneralName, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) -> NameConstraintViolation.Kind? {
        let isPermissionNeeded = self.permitted.mentions(name.form)
        let mayBeExcluded = self.excluded.mentions(name.form)
        let isCompared = isPermissionNeeded || mayBeExcluded
        budget.spend(1 + (isCompared ? Self.foldingCost(of: name) : 0))
        guard !budget.isExhausted else { return .budgetExceeded }
        guard isCompared else { return nil }
        guard name.form.isComparable else { return self.isCritical ? .unsupportedForm : nil }
        let form = name.form
        guard let name = ConstrainedName(name, in: bytes) else { return .malformedName }
        if mayBeExcluded {
            if self.excluded.covers(name, .any, in: bytes, &budget) { return .excluded }
            if self.excluded.isMalformed(form) { return .malformedConstraint }
        }
        if isPermissionNeeded, !self.permitted.covers(name, .all, in: bytes, &budget) {
            return budget.isExhausted ? .budgetExceeded : .notPermitted
        }
        return budget.isExhausted ? .budgetExceeded : nil
    }

    /// id-emailAddress (RFC 2985 §5.2.1).
    private static let emailAddress = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01])
}
