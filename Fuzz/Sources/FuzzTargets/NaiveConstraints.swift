//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// Name constraints by the book and one by one (RFC 5280 §4.2.1.10): what the engine's indexes are held against.
///
/// Written with texts and labels and without the engine's domains, hashes and trees; directory names alone are compared
/// by the engine's own comparison, pair by pair.
struct NaiveConstraints {
    let permitted: [NamesTarget.GeneralNameRecord]
    let excluded: [NamesTarget.GeneralNameRecord]
    let isCritical: Bool
    let acceptsLeadingDot: Bool

    typealias Record = NamesTarget.GeneralNameRecord

    mutating func allows(_ certificate: CertificateView, _ presented: [Record], subjectHasMail: Bool) -> Bool {
        var names = presented
        if subjectHasMail {
            let subject = TestDER.name([[.o("Test")], [.email("a@b.example")]])
            names.append(Record(form: .directoryName, content: subject))
            names.append(Record(form: .rfc822Name, content: Array("a@b.example".utf8)))
        }
        return names.allSatisfy { self.allows($0) }
    }

    private func allows(_ name: Record) -> Bool {
        let permitted = self.permitted.filter { $0.form == name.form }
        let excluded = self.excluded.filter { $0.form == name.form }
        guard !permitted.isEmpty || !excluded.isEmpty else { return true }
        guard name.form.isComparable else { return !self.isCritical }
        guard self.isWellFormed(name) else { return false }
        guard !excluded.contains(where: { !self.isMeaningful($0) || self.covers($0, name, any: true) }) else {
            return false
        }
        return permitted.isEmpty || permitted.contains { self.isMeaningful($0) && self.covers($0, name, any: false) }
    }

    // MARK: What is a name, and what a constraint

    private func isWellFormed(_ name: Record) -> Bool {
        switch name.form {
        case .dNSName:
            NaiveDomain(name.content).map { $0.isExact || ($0.hasWildcardInFront && $0.labels.count > 1) } ?? false
        case .rfc822Name: NaiveMailbox(name.content) != nil
        case .uniformResourceIdentifier: NaiveDomain.host(ofURI: name.content) != nil
        case .iPAddress: name.content.count == 4 || name.content.count == 16
        case .directoryName: self.isComparable(name.directory)
        default: false
        }
    }

    private func isMeaningful(_ subtree: Record) -> Bool {
        switch subtree.form {
        case .dNSName:
            guard subtree.content.first != 0x2E || self.acceptsLeadingDot else { return false }
            return Self.isHost(subtree.content)
        case .rfc822Name:
            return subtree.content.contains(0x40) ? NaiveMailbox(subtree.content) != nil : Self.isHost(subtree.content)
        case .uniformResourceIdentifier: return Self.isHost(subtree.content)
        case .iPAddress: return Self.isContiguous(subtree.content)
        case .directoryName: return self.isComparable(subtree.directory)
        default: return true
        }
    }

    private static func isHost(_ content: [UInt8]) -> Bool {
        let name = content.first == 0x2E ? Array(content.dropFirst()) : content
        return content.isEmpty || NaiveDomain(name)?.isExact == true
    }

    /// RFC 4632: ones, then zeros.
    private static func isContiguous(_ content: [UInt8]) -> Bool {
        guard content.count == 8 || content.count == 32 else { return false }
        let bits = content.dropFirst(content.count / 2).flatMap { octet in
            (0..<8).map { octet & (0x80 >> UInt8($0)) != 0 }
        }
        return zip(bits, bits.dropFirst()).allSatisfy { $0 || !$1 }
    }

    private func isComparable(_ name: [UInt8]) -> Bool {
        guard let content = DERContent.ofSequence(name) else { return false }
        return DirectorySubtrees.isComparable(content, in: name.span)
    }

    // MARK: What covers what

    private func covers(_ subtree: Record, _ name: Record, any: Bool) -> Bool {
        switch subtree.form {
        case .dNSName: Self.coversDomain(subtree.content, name.content, any: any)
        case .rfc822Name: Self.coversMailbox(subtree.content, name.content)
        case .uniformResourceIdentifier:
            NaiveDomain.host(ofURI: name.content).map { Self.coversHost(subtree.content, $0) } ?? false
        case .iPAddress: Self.coversAddress(subtree.content, name.content)
        case .directoryName: Self.coversDirectory(subtree.directory, name.directory)
        default: false
        }
    }

    private static func coversDomain(_ subtree: [UInt8], _ name: [UInt8], any: Bool) -> Bool {
        if subtree.isEmpty { return true }
        let hasDot = subtree.first == 0x2E
        guard let domain = NaiveDomain(hasDot ? Array(subtree.dropFirst()) : subtree), let name = NaiveDomain(name)
        else {
            return false
        }
        if name.isExact { return name.ends(with: domain) && (!hasDot || name.labels.count > domain.labels.count) }
        // The names a wildcard stands for: all have something in front of the rest.
        let rest = NaiveDomain(labels: Array(name.labels.dropFirst()))
        if rest.ends(with: domain) { return true }
        return any && !hasDot && domain.labels.dropFirst().elementsEqual(rest.labels)
    }

    private static func coversMailbox(_ subtree: [UInt8], _ name: [UInt8]) -> Bool {
        guard let mailbox = NaiveMailbox(name) else { return false }
        return subtree.contains(0x40) ? NaiveMailbox(subtree) == mailbox : self.coversHost(subtree, mailbox.host)
    }

    private static func coversHost(_ subtree: [UInt8], _ host: NaiveDomain) -> Bool {
        if subtree.isEmpty { return true }
        let hasDot = subtree.first == 0x2E
        guard let domain = NaiveDomain(hasDot ? Array(subtree.dropFirst()) : subtree) else { return false }
        return hasDot ? host.ends(with: domain) && host.labels.count > domain.labels.count : host == domain
    }

    private static func coversAddress(_ subtree: [UInt8], _ address: [UInt8]) -> Bool {
        guard subtree.count == address.count * 2 else { return false }
        return address.indices.allSatisfy { index in
            let mask = subtree[address.count + index]
            return address[index] & mask == subtree[index] & mask
        }
    }

    private static func coversDirectory(_ subtree: [UInt8], _ name: [UInt8]) -> Bool {
        guard let left = DERContent.ofSequence(subtree), let right = DERContent.ofSequence(name) else { return false }
        return FoldedName(right, in: name.span).isWithin(FoldedName(left, in: subtree.span))
    }
}

enum DERContent {
    static func ofSequence(_ bytes: [UInt8]) -> ByteRange? {
        var reader = DERReader(all: bytes.span)
        guard let element = try? reader.next(.sequence, in: bytes.span), reader.isAtEnd else { return nil }
        return element.content
    }
}
