//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One list of name constraints, permitted or excluded, grouped by form (RFC 5280 §4.2.1.10).
struct NameSubtrees: Sendable {
    private var forms = Forms()
    private var malformed = Forms()
    private var domains = DomainSubtrees()
    private var mailHosts = DomainSubtrees()
    private var mailboxes: Set<[UInt8]> = []
    private var resourceHosts = DomainSubtrees()
    private var addresses = AddressSubtrees()
    private var directories = DirectorySubtrees()
    /// `true` if a DNS constraint may begin with a dot.
    private let acceptsLeadingDot: Bool

    init(acceptsLeadingDot: Bool) {
        self.acceptsLeadingDot = acceptsLeadingDot
    }

    private struct Forms: OptionSet {
        let rawValue: UInt16
        init(rawValue: UInt16) { self.rawValue = rawValue }
        init(_ form: GeneralNameForm) { self.rawValue = 1 << UInt16(form.rawValue) }
    }

    /// Returns `true` if the list has a constraint of a form, valid or not.
    @inline(__always)
    func mentions(_ form: GeneralNameForm) -> Bool { self.forms.contains(Forms(form)) }

    /// `true` if a constraint has a form that cannot be compared.
    var mentionsUnsupportedForm: Bool { Self.unsupportedForms.contains(where: self.mentions) }

    private static let unsupportedForms: [GeneralNameForm] = [.otherName, .x400Address, .ediPartyName, .registeredID]

    static func isUnsupported(_ form: GeneralNameForm) -> Bool { Self.unsupportedForms.contains(form) }

    /// Returns `true` if a constraint of a form is malformed. It permits no name, and may be meant to exclude any.
    func isMalformed(_ form: GeneralNameForm) -> Bool { self.malformed.contains(Forms(form)) }

    mutating func insert(_ subtree: GeneralName, in bytes: Span<UInt8>) {
        self.forms.insert(Forms(subtree.form))
        let isUnderstood =
            switch subtree.form {
            case .dNSName: self.insertDomain(subtree.content, in: bytes)
            case .rfc822Name: self.insertMailbox(subtree.content, in: bytes)
            case .uniformResourceIdentifier: Self.insertHost(subtree.content, in: bytes, into: &self.resourceHosts)
            case .iPAddress: self.addresses.insert(subtree.content, in: bytes)
            case .directoryName: self.directories.insert(subtree.content, in: bytes)
            case .otherName, .x400Address, .ediPartyName, .registeredID: true
            }
        if !isUnderstood { self.malformed.insert(Forms(subtree.form)) }
    }

    /// Prepares the list for look-ups. Called once, after the last insertion.
    mutating func finish() {
        self.addresses.finish()
    }

    /// Adds a DNS name constraint. "Any DNS name that can be constructed by simply adding zero or more labels to the
    /// left-hand side of the name satisfies the name constraint."
    ///
    /// The RFC does not define a leading dot. Apple and webpki then require at least one more label. If the dot is not
    /// accepted, the constraint is malformed.
    private mutating func insertDomain(_ subtree: ByteRange, in bytes: Span<UInt8>) -> Bool {
        if subtree.isEmpty {
            self.domains.insertEverything()
            return true
        }
        let (domain, hasDot) = Self.withoutLeadingDot(subtree, in: bytes)
        guard DomainName.isExact(domain, in: bytes), !hasDot || self.acceptsLeadingDot else { return false }
        self.domains.insert(domain, in: bytes, covering: hasDot ? .below : [.itself, .below])
        return true
    }

    /// Adds a mailbox, all mailboxes at one host, or, with a leading dot, all mailboxes at hosts below a domain.
    private mutating func insertMailbox(_ subtree: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard Mailbox.lastAt(in: subtree, bytes) != nil else {
            return Self.insertHost(subtree, in: bytes, into: &self.mailHosts)
        }
        guard let mailbox = Mailbox(subtree, in: bytes) else { return false }
        self.mailboxes.insert(mailbox.canonical(in: bytes))
        return true
    }

    /// Adds one host, or, with a leading dot, all hosts below a domain.
    private static func insertHost(
        _ subtree: ByteRange, in bytes: Span<UInt8>, into hosts: inout DomainSubtrees
    ) -> Bool {
        if subtree.isEmpty {
            hosts.insertEverything()
            return true
        }
        let (host, hasDot) = Self.withoutLeadingDot(subtree, in: bytes)
        guard DomainName.isExact(host, in: bytes) else { return false }
        hosts.insert(host, in: bytes, covering: hasDot ? .below : .itself)
        return true
    }

    private static func withoutLeadingDot(_ name: ByteRange, in bytes: Span<UInt8>) -> (ByteRange, hasDot: Bool) {
        guard bytes[name.lowerBound] == UInt8(ascii: ".") else { return (name, false) }
        return (ByteRange(name.lowerBound + 1, name.upperBound), true)
    }
}

extension NameSubtrees {
    /// The names matched by a wildcard that must be covered.
    enum Quantifier { case all, any }

    /// Returns `true` if a name is covered. For a wildcard, all names that it matches must be covered, or any of them.
    @inline(__always)
    func covers(
        _ name: ConstrainedName, _ quantifier: Quantifier, in bytes: Span<UInt8>,
        _ budget: inout NameConstraintBudget
    ) -> Bool {
        switch name {
        case .domain(let domain): self.domains.covers(domain, in: bytes, &budget)
        case .wildcard(let rest):
            switch quantifier {
            case .all: self.domains.coversAllNames(oneLabelBelow: rest, in: bytes, &budget)
            case .any: self.domains.coversAnyName(oneLabelBelow: rest, in: bytes, &budget)
            }
        case .mailbox(let mailbox): self.covers(mailbox, in: bytes, &budget)
        case .resourceHost(let host): self.resourceHosts.covers(host, in: bytes, &budget)
        case .address(let address): self.addresses.covers(address, quantifier, &budget)
        case .directory(let directory):
            self.directories.covers(directory, &budget)
        }
    }

    private func covers(_ mailbox: Mailbox, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget) -> Bool {
        if self.mailHosts.covers(mailbox.host, in: bytes, &budget) { return true }
        guard !self.mailboxes.isEmpty else { return false }
        budget.spend(1)
        return self.mailboxes.contains(mailbox.canonical(in: bytes))
    }
}

/// A name of a certificate in the form that constraints are compared with.
enum ConstrainedName {
    case domain(ByteRange)
    /// The domain after the label of the asterisk.
    case wildcard(ByteRange)
    case mailbox(Mailbox)
    case resourceHost(ByteRange)
    case address(IPAddress)
    case directory(FoldedName)

    /// Reads a name. `nil` if it does not have the syntax of its form, or if no constraint is compared with its form.
    @inline(__always)
    init?(_ name: GeneralName, in bytes: Span<UInt8>) {
        switch name.form {
        case .dNSName:
            guard let shape = DomainName(name.content, in: bytes) else { return nil }
            switch shape.wildcard(in: bytes) {
            case .none: self = .domain(name.content)
            // No identity matches an asterisk in a part of a label. Other implementations read it as fewer names than
            // a whole label.
            case .wholeLeftmostLabel, .partOfLeftmostLabel:
                guard let rest = shape.parent else { return nil }
                self = .wildcard(rest)
            case .elsewhere: return nil
            }
        case .rfc822Name:
            guard let mailbox = Mailbox(name.content, in: bytes) else { return nil }
            self = .mailbox(mailbox)
        case .uniformResourceIdentifier:
            guard let host = UniformResourceHost.find(in: name.content, bytes) else { return nil }
            self = .resourceHost(host)
        case .iPAddress:
            guard let address = IPAddress(name.content, in: bytes) else { return nil }
            self = .address(address)
        case .directoryName:
            guard DirectorySubtrees.isComparable(name.content, in: bytes) else { return nil }
            self = .directory(FoldedName(name.content, in: bytes))
        case .otherName, .x400Address, .ediPartyName, .registeredID: return nil
        }
    }
}

extension GeneralNameForm {
    /// `true` if constraints of the form are compared with names.
    var isComparable: Bool {
        switch self {
        case .dNSName, .rfc822Name, .uniformResourceIdentifier, .iPAddress, .directoryName: true
        case .otherName, .x400Address, .ediPartyName, .registeredID: false
        }
    }
}
