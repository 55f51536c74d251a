//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

@testable import CertificatePath

/// Host names and name constraints: the engine's indexes and hashes say what comparing each with each says.
///
/// An input is a flag octet and then records: an octet for the role and the form of a name, one for its length, the name.
enum NamesTarget {
    enum Role: UInt8 { case permitted, excluded, presented, host }

    struct Question {
        var permitted: [GeneralNameRecord] = []
        var excluded: [GeneralNameRecord] = []
        var presented: [GeneralNameRecord] = []
        var hosts: [[UInt8]] = []
    }

    struct GeneralNameRecord {
        let form: GeneralNameForm
        let content: [UInt8]

        var encoded: [UInt8] {
            switch self.form {
            case .otherName: DER.element(0xA0, DER.oid("1.2.3") + DER.element(0xA0, DER.octetString(self.content)))
            case .rfc822Name: DER.element(0x81, self.content)
            case .dNSName: DER.element(0x82, self.content)
            case .x400Address: DER.element(0xA3, DER.sequence())
            case .directoryName: DER.element(0xA4, self.directory)
            case .ediPartyName: DER.element(0xA5, DER.element(0x81, self.content))
            case .uniformResourceIdentifier: DER.element(0x86, self.content)
            case .iPAddress: DER.element(0x87, self.content)
            case .registeredID: DER.element(0x88, [0x2A])
            }
        }

        /// A Name as it comes, or one made of the words of a text.
        var directory: [UInt8] {
            if self.content.first == 0x30 { return self.content }
            return TestDER.name(
                self.content.split(separator: 0x2C).map { word in
                    [TestAttribute("2.5.4.\(3 + word.count % 4)", String(decoding: word, as: UTF8.self))]
                })
        }
    }

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let flags = bytes.first ?? 0
        let question = self.question(bytes.dropFirst())
        for host in question.hosts { HostNames.check(host, &findings) }
        self.checkHashes(of: question.permitted + question.excluded + question.presented, &findings)
        let list = question.presented.flatMap(\.encoded)
        let item = list.isEmpty ? [] : TestDER.extensionItem("2.5.29.17", DER.element(0x30, list))
        let subject = TestDER.name(flags & 4 == 0 ? [] : [[.o("Test")], [.email("a@b.example")]])
        guard let certificate = try? CertificateView(der: TestDER.encode(subject: subject, extensions: item)),
            certificate.fields.extensions.firstMalformed == nil
        else { return }
        for host in question.hosts { HostNames.match(host, certificate, question.presented, &findings) }
        self.checkConstraints(question, certificate, flags, &findings)
    }

    /// Names that are equal have equal hashes, or they are not found.
    private static func checkHashes(of records: [GeneralNameRecord], _ findings: inout Findings) {
        let names = records.filter { $0.form == .directoryName }.prefix(8).compactMap { record in
            let name = record.directory
            return DERContent.ofSequence(name).map { (bytes: name, range: $0) }
        }
        for left in names {
            for right in names
            where DistinguishedName.areEqual(left.range, of: left.bytes, right.range, of: right.bytes) {
                let hashes = [left, right].map { try? DistinguishedName.check($0.range, in: $0.bytes.span) }
                findings.expect(hashes[0] == hashes[1], "equal names with different hashes")
            }
        }
    }

    private static func question(_ bytes: ArraySlice<UInt8>) -> Question {
        var question = Question()
        var rest = bytes
        while rest.count >= 2 {
            let kind = rest[rest.startIndex]
            let content = Array(rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1])))
            rest = rest.dropFirst(2 + content.count)
            let form = GeneralNameForm(rawValue: (kind >> 2) % 9) ?? .dNSName
            let record = GeneralNameRecord(form: form, content: content)
            switch Role(rawValue: kind & 3) {
            case .permitted: question.permitted.append(record)
            case .excluded: question.excluded.append(record)
            case .presented: question.presented.append(record)
            case .host, nil: question.hosts.append(content)
            }
        }
        return question
    }

    private static func checkConstraints(
        _ question: Question, _ certificate: CertificateView, _ flags: UInt8, _ findings: inout Findings
    ) {
        guard !question.permitted.isEmpty || !question.excluded.isEmpty else { return }
        func subtrees(_ tag: UInt8, _ names: [GeneralNameRecord]) -> [UInt8] {
            names.isEmpty ? [] : DER.element(tag, names.flatMap { DER.sequence($0.encoded) })
        }
        let value = DER.sequence(subtrees(0xA0, question.permitted), subtrees(0xA1, question.excluded))
        let item = TestDER.extensionItem("2.5.29.30", critical: true, value)
        guard let issuer = try? CertificateView(der: TestDER.encode(subject: [0x30, 0], extensions: item)),
            issuer.fields.extensions.firstMalformed == nil,
            let constraints = NameConstraints(
                of: issuer, isCritical: flags & 1 != 0, acceptsLeadingDot: flags & 2 != 0, maximumSubtrees: nil)
        else { return }
        var budget = NameConstraintBudget(comparisons: 1_000_000)
        let violation = constraints.check(certificate, budget: &budget)
        var reference = NaiveConstraints(
            permitted: question.permitted, excluded: question.excluded, isCritical: flags & 1 != 0,
            acceptsLeadingDot: flags & 2 != 0)
        let expected = reference.allows(certificate, question.presented, subjectHasMail: flags & 4 != 0)
        findings.expect(
            (violation == nil) == expected, "constraints say \(violation?.description ?? "allowed"), not \(expected)")
        self.checkBudget(constraints, certificate, violation, spent: 1_000_000 - budget.remaining, &findings)
    }

    /// With less to spend, a check either says the same or that it could not be made.
    private static func checkBudget(
        _ constraints: NameConstraints, _ certificate: CertificateView, _ violation: NameConstraintViolation?,
        spent: Int, _ findings: inout Findings
    ) {
        guard spent > 0 else { return }
        for given in [spent, spent - 1, spent / 2] {
            var budget = NameConstraintBudget(comparisons: given)
            let again = constraints.check(certificate, budget: &budget)
            findings.expect(budget.remaining >= -1, "more was spent than given")
            let isSame = again?.kind == violation?.kind || again?.kind == .budgetExceeded
            findings.expect(isSame, "a smaller budget changes the answer")
            if given == spent { findings.expect(again?.kind == violation?.kind, "the same budget does not suffice") }
        }
    }

    static func seeds() -> [[UInt8]] {
        func record(_ role: Role, _ form: GeneralNameForm, _ text: String) -> [UInt8] {
            self.record(role, form, Array(text.utf8))
        }
        let dns = record(.permitted, .dNSName, "example.com") + record(.excluded, .dNSName, ".bad.example.com")
        let mail = record(.permitted, .rfc822Name, "example.com") + record(.excluded, .rfc822Name, "a@example.com")
        let uri = record(.permitted, .uniformResourceIdentifier, ".example.com")
        let address = self.record(.permitted, .iPAddress, [10, 0, 0, 0, 255, 0, 0, 0])
        let directory = record(.excluded, .directoryName, "abc,defg")
        return [
            [2] + dns + record(.presented, .dNSName, "www.example.com") + record(.host, .dNSName, "www.example.com"),
            [2] + dns + record(.presented, .dNSName, "*.example.com") + record(.host, .dNSName, "a.example.com"),
            [0] + dns + record(.presented, .dNSName, "*.bad.example.com") + record(.host, .dNSName, "WWW.Example.Com."),
            [7] + mail + record(.presented, .rfc822Name, "\"b\\\"c\"@example.com"),
            [1] + mail + record(.presented, .rfc822Name, "b@example.com"),
            [1] + uri + record(.presented, .uniformResourceIdentifier, "https://u@www.example.com:443/x"),
            [1] + address + self.record(.presented, .iPAddress, [10, 1, 2, 3]) + record(.host, .dNSName, "10.1.2.3"),
            [0] + self.record(.excluded, .iPAddress, [UInt8](repeating: 0, count: 32))
                + self.record(.presented, .iPAddress, [UInt8](repeating: 1, count: 16)),
            [1] + directory + record(.presented, .directoryName, "ABC,defg,x"),
            [1] + record(.permitted, .otherName, "x") + record(.presented, .otherName, "y"),
            [1] + self.record(.excluded, .directoryName, TestDER.name([[.o("Te  st", tag: 0x13)]]))
                + self.record(.presented, .directoryName, TestDER.name([[.o(" TE ST ", tag: 0x14)]]))
                + self.record(.presented, .directoryName, TestDER.name([[.o("te st"), .cn("x")], [.c("DE")]])),
            [0] + record(.excluded, .dNSName, "") + record(.presented, .dNSName, "f*.example.com"),
            [0] + record(.host, .dNSName, "2001:db8::1") + record(.host, .dNSName, "[::ffff:1.2.3.4]"),
            [0] + record(.host, .dNSName, "xn--mnchen-3ya.example") + record(.host, .dNSName, "fe80::1%eth0"),
        ]
    }

    private static func record(_ role: Role, _ form: GeneralNameForm, _ content: [UInt8]) -> [UInt8] {
        [form.rawValue << 2 | role.rawValue, UInt8(min(255, content.count))] + content.prefix(255)
    }
}
