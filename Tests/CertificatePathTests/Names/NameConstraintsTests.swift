//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Whether a certificate with the given names satisfies constraints.
func violation(
    permitted: [TestName] = [], excluded: [TestName] = [], san: [TestName] = [], subject: [[TestAttribute]] = [],
    isCritical: Bool = true, maximumSubtrees: Int? = nil, includingSubject: Bool = true, comparisons: Int = 100_000
) throws -> NameConstraintViolation? {
    let issuer = try TestDER.certificate(
        nameConstraints: TestDER.nameConstraints(permitted: permitted, excluded: excluded),
        constraintsAreCritical: isCritical
    )
    let constraints = try #require(
        NameConstraints(of: issuer, isCritical: isCritical, maximumSubtrees: maximumSubtrees))
    var budget = NameConstraintBudget(comparisons: comparisons)
    let certificate = try TestDER.certificate(san: san, subject: subject)
    return constraints.check(certificate, includingSubject: includingSubject, budget: &budget)
}

@Suite("Name constraints")
struct NameConstraintsTests {
    typealias Kind = NameConstraintViolation.Kind

    @Test(
        "A DNS name outside the permitted subtree is a violation",
        arguments: [
            ("example.com", "example.org"), ("example.com", "xexample.com"), ("example.com", "com"),
            ("www.example.com", "example.com"), (".example.com", "example.com"), (".example.com", "xexample.com"),
            ("bar.example.com", "*.example.com"), ("www.example.com", "*.example.com"), ("example.com", "*.com"),
            ("example.com", "*.xexample.com"), ("*.example.com", "www.example.com"), ("example.com:443", "example.com"),
            ("bücher.example", "xn--bcher-kva.example"), ("example.com.", "example.com"), (".", "example.com"),
            ("..example.com", "a.example.com"), ("\0", "example.com"), ("1.2.3", "a.1.2.3"), ("-a.com", "-a.com"),
        ])
    func dnsNotPermitted(constraint: String, name: String) throws {
        let violation = try #require(try violation(permitted: [.dns(constraint)], san: [.dns(name)]))
        #expect(violation.kind == .notPermitted || violation.kind == .malformedName)
        #expect(violation.form == .dNSName)
    }

    @Test(
        "A DNS name in the permitted subtree is allowed",
        arguments: [
            ("example.com", "example.com"), ("example.com", "www.example.com"), ("EXAMPLE.com", "a.b.Example.COM"),
            (".example.com", "www.example.com"), ("", "example.com"), ("", "*.example.com"),
            ("example.com", "*.example.com"), (".example.com", "*.example.com"), ("example.com", "*.www.example.com"),
            ("com", "*.com"), ("a_b.example", "c.a_b.example"), ("example.com", "w*.example.com"),
        ])
    func dnsPermitted(constraint: String, name: String) throws {
        #expect(try violation(permitted: [.dns(constraint)], san: [.dns(name)]) == nil)
        let others: [TestName] = [.dns("a.test"), .dns(constraint), .dns("b.test")]
        #expect(try violation(permitted: others, san: [.dns("a.test"), .dns(name), .dns("b.test")]) == nil)
    }

    @Test(
        "A DNS name that is excluded, or a wildcard for one, is a violation",
        arguments: [
            ("example.com", "example.com"), ("example.com", "www.example.com"), ("EXAMPLE.COM", "www.example.com"),
            (".example.com", "www.example.com"), ("", "example.com"), ("", "*.example.com"),
            ("bar.example.com", "*.example.com"), ("BAR.example.com", "*.EXAMPLE.com"),
            ("example.com", "*.example.com"), ("example.com", "*.a.example.com"), (".example.com", "*.example.com"),
            ("example.com", "*.com"), ("bar.example.com", "b*.example.com"), ("com", "*.com"),
        ])
    func dnsExcluded(constraint: String, name: String) throws {
        let violation = try #require(try violation(excluded: [.dns("a.test"), .dns(constraint)], san: [.dns(name)]))
        #expect(violation.kind == .excluded)
        #expect(violation.constraints == [constraint])
        #expect(violation.name == name)
    }

    @Test(
        "A DNS name that is not excluded is allowed",
        arguments: [
            ("example.com", "example.org"), ("example.com", "xexample.com"), ("www.example.com", "example.com"),
            (".example.com", "example.com"), ("bar.example.com", "*.example.org"),
            ("a.bar.example.com", "*.example.com"),
            (".bar.example.com", "*.example.com"), ("example.com", "*.xexample.com"), (".com", "*.example.org"),
        ])
    func dnsNotExcluded(constraint: String, name: String) throws {
        #expect(try violation(excluded: [.dns(constraint)], san: [.dns(name)]) == nil)
    }

    @Test(
        "An invalid DNS name fails under any DNS constraint, and only then",
        arguments: [
            "", ".", "a..b", ".example.com", "example.com.", "exa mple.com", "example.com\0", "1.2.3.4", "a.*.com", "*",
            "bücher.example", "-a.example.com", String(repeating: "a.", count: 150) + "example.com",
        ])
    func malformedDNSName(name: String) throws {
        #expect(try violation(permitted: [.dns("example.com")], san: [.dns(name)])?.kind == .malformedName)
        #expect(try violation(excluded: [.dns("a.test")], san: [.dns(name)])?.kind == .malformedName)
        #expect(try violation(permitted: [.dns("")], san: [.dns(name)])?.kind == .malformedName)
        #expect(try violation(permitted: [.ip([0, 0, 0, 0, 0, 0, 0, 0])], san: [.dns(name)]) == nil)
    }

    @Test("A malformed exclusion excludes every name of its form, and no other")
    func malformedExclusion() throws {
        let cases: [(TestName, TestName)] = [
            (.dns("*.example.com"), .dns("a.test")), (.dns("a b"), .dns("a.test")), (.email("@"), .email("a@b.test")),
            (.email("a b"), .email("a@b.test")), (.uri("https://a.test"), .uri("https://b.test")),
            (.ip([1, 2, 3, 4]), .ip([5, 6, 7, 8])), (.ip([1, 2, 3, 4, 255, 0, 255, 0]), .ip([5, 6, 7, 8])),
        ]
        for (constraint, name) in cases {
            #expect(try violation(excluded: [constraint], san: [name])?.kind == .malformedConstraint, "\(constraint)")
            #expect(try violation(permitted: [constraint], san: [name])?.kind == .notPermitted, "\(constraint)")
            #expect(try violation(excluded: [constraint], san: [.registeredID]) == nil, "\(constraint)")
        }
    }

    @Test("Every name must be permitted, one excluded name is enough, and exclusion is stronger")
    func combinations() throws {
        let permitted: [TestName] = [.dns("example.com"), .dns("example.org")]
        #expect(try violation(permitted: permitted, san: [.dns("example.com"), .dns("a.test")])?.name == "a.test")
        #expect(try violation(permitted: permitted, san: [.dns("a.example.org"), .dns("example.com")]) == nil)
        let excluded: [TestName] = [.dns("a.example.com")]
        #expect(
            try violation(permitted: permitted, excluded: excluded, san: [.dns("a.example.com")])?.kind == .excluded)
        #expect(try violation(permitted: permitted, excluded: excluded, san: [.dns("b.example.com")]) == nil)
    }

    @Test("Names of a form that is not constrained are allowed, and constraints without names too")
    func otherForms() throws {
        let permitted: [TestName] = [.dns("example.com")]
        #expect(try violation(permitted: permitted, san: [.ip([1, 2, 3, 4]), .email("a@b.test"), .otherName]) == nil)
        #expect(try violation(permitted: permitted, excluded: [.dns("")], subject: [[.cn("www.example.org")]]) == nil)
    }

    @Test("The same domain with and without a dot in front covers both")
    func merged() throws {
        for list: [TestName] in [[.dns(".a.test"), .dns("a.test")], [.dns("a.test"), .dns(".A.test")]] {
            #expect(try violation(permitted: list, san: [.dns("a.test"), .dns("b.a.test")]) == nil)
        }
        #expect(
            try violation(
                permitted: [.uri(".a.test"), .uri("a.test")], san: [.uri("x://a.test"), .uri("x://b.a.test")]) == nil)
    }

    @Test(
        "A name of an unsupported form fails under a critical constraint of that form",
        arguments: [TestName.otherName, .registeredID, .x400, .ediParty])
    func unsupported(name: TestName) throws {
        #expect(try violation(excluded: [name], san: [name])?.kind == .unsupportedForm)
        #expect(try violation(permitted: [name], san: [name])?.kind == .unsupportedForm)
        #expect(try violation(excluded: [name], san: [name], isCritical: false) == nil)
        #expect(try violation(excluded: [name], san: [.dns("a.test")]) == nil)
        #expect(try violation(permitted: [name], san: [.dns("a.test")]) == nil)
    }

    @Test("More subtrees than the maximum refuse every certificate")
    func tooMany() throws {
        let names = (0..<8).map { TestName.dns("a\($0).test") }
        let refused = try violation(permitted: names, excluded: names, san: [], maximumSubtrees: 15)
        #expect(refused?.kind == .tooManySubtrees(count: 16))
        #expect(try violation(permitted: names, excluded: names, san: [], maximumSubtrees: 16) == nil)
    }

    @Test("A certificate without the extension has no constraints; an unreadable one refuses everything")
    func presence() throws {
        #expect(try NameConstraints(of: TestDER.certificate(), isCritical: true, maximumSubtrees: nil) == nil)
        for malformed: [UInt8] in [DER.sequence(), [0x30, 0x05], DER.sequence(DER.element(0xA0, []))] {
            let issuer = try TestDER.certificate(nameConstraints: malformed, constraintsAreCritical: false)
            let constraints = try #require(NameConstraints(of: issuer, isCritical: false, maximumSubtrees: nil))
            var budget = NameConstraintBudget(comparisons: 10)
            #expect(constraints.check(try TestDER.certificate(), budget: &budget)?.kind == .unreadable)
        }
    }

    @Test("Work ends with the budget")
    func budget() throws {
        let names = (0..<100).map { TestName.dns("a\($0).test") }
        #expect(try violation(permitted: names, san: names, comparisons: 99)?.kind == .budgetExceeded)
        #expect(try violation(permitted: names, san: names, comparisons: 1_000) == nil)
        #expect(
            try violation(permitted: [.dns("a.test")], san: [.dns("b.c.a.test")], comparisons: 1)?.kind
                == .budgetExceeded)
        #expect(try violation(permitted: [.dns("a.test")], san: [.dns("b.c.a.test")], comparisons: 2) == nil)
        var budget = NameConstraintBudget(comparisons: 0)
        budget.spend(.max)
        budget.spend(.max)
        #expect(budget.isExhausted)
    }

    @Test("2,048 names under 2,048 constraints take few comparisons")
    func scale() throws {
        let subtrees = (0..<2_048).map { TestName.dns("host\($0).example.com") }
        let names = (0..<2_048).map { TestName.dns("www.host\(2_047 - $0).example.com") }
        #expect(try violation(permitted: subtrees, san: names, comparisons: 10_000) == nil)
        let strangers = (0..<2_048).map { TestName.dns("www.host\($0).example.org") }
        #expect(try violation(excluded: subtrees, san: strangers, comparisons: 10_000) == nil)
        let addresses = (0..<2_048).map {
            TestName.ip([10, UInt8($0 >> 3), UInt8(($0 & 7) << 5), 0, 255, 255, 224, 0])
        }
        let hosts = (0..<2_048).map { TestName.ip([10, UInt8($0 >> 3), UInt8(($0 & 7) << 5), 9]) }
        #expect(try violation(permitted: addresses, san: hosts, comparisons: 30_000) == nil)
        let directories = (0..<2_048).map { TestName.directory([[.c("DE")], [.o("Unit \($0)")]]) }
        let people = (0..<2_048).map { TestName.directory([[.c("DE")], [.o("unit \($0)")], [.cn("a")]]) }
        #expect(try violation(permitted: directories, san: people, comparisons: 20_000) == nil)
    }

    @Test("Evidence is printable and cut")
    func evidence() throws {
        let constraints = (0..<40).map { TestName.dns("a\($0).test") }
        let violation = try #require(try violation(permitted: constraints, san: [.dns("b.test")]))
        #expect(violation.constraints.count == NameConstraintViolation.maximumConstraints)
        #expect(violation.description.hasPrefix("\"b.test\" is not among"))
        let hostile = try #require(
            try CertificatePathTests.violation(
                permitted: constraints, san: [.dns("\u{1B}[2J\0" + String(repeating: "x", count: 999))]))
        #expect(hostile.name.hasPrefix("\\x1b[2J\\x00xx"))
        #expect(hostile.name.utf8.count < 400)
    }

    @Test("Every octet in a constraint and in a name is answered")
    func everyOctet() throws {
        for octet in UInt8.min...UInt8.max {
            let name = TestName.dnsOctets(Array("a".utf8) + [octet] + Array("b.test".utf8))
            let isShape =
                DomainName(ByteRange(0, 8), in: (Array("a".utf8) + [octet] + Array("b.test".utf8)).span) != nil
            let kind = try violation(excluded: [.dns("c.test")], san: [name])?.kind
            #expect((kind == nil) == (isShape && octet != UInt8(ascii: "*")) || octet == UInt8(ascii: "*"))
            let excluded = try violation(excluded: [name], san: [.dns("x.test")])?.kind
            #expect((excluded == nil) == (isShape && octet != UInt8(ascii: "*")))
        }
    }
}
