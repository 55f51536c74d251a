//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Name constraints on forms other than DNS names")
struct NameConstraintFormsTests {
    @Test(
        "A mail address outside its constraint is a violation",
        arguments: [
            ("user@example.com", "other@example.com"), ("user@example.com", "User@example.com"),
            ("user@example.com", "user@www.example.com"), ("example.com", "user@www.example.com"),
            (".example.com", "user@example.com"), ("example.com", "user@xexample.com"),
            (".example.com", "user@xexample.com"),
            ("*@example.com", "user@example.com"), ("@example.com", "user@example.com"),
            ("user@", "user@example.com"), ("user@.example.com", "user@www.example.com"),
        ])
    func mailNotPermitted(constraint: String, name: String) throws {
        #expect(try violation(permitted: [.email(constraint)], san: [.email(name)])?.kind == .notPermitted)
    }

    @Test(
        "A mail address in its constraint is permitted, and excluded when the constraint excludes",
        arguments: [
            ("user@example.com", "user@EXAMPLE.com"), ("user@example.com", "\"user\"@example.com"),
            ("\"u\\ser\"@example.com", "user@example.com"), ("example.com", "anyone@Example.com"),
            (".example.com", "user@www.example.com"), (".example.com", "user@a.b.example.com"),
            ("example.com", "\"a@b\"@example.com"), ("*@example.com", "*@example.com"), ("", "user@example.com"),
            ("example.com", "*@example.com"), ("example.com", "\" \"@example.com"),
        ])
    func mailPermitted(constraint: String, name: String) throws {
        #expect(try violation(permitted: [.email(constraint)], san: [.email(name)]) == nil)
        #expect(try violation(excluded: [.email(constraint)], san: [.email(name)])?.kind == .excluded)
    }

    @Test(
        "An invalid mail address fails under any mail constraint",
        arguments: [
            "", "@", "user", "user@", "@example.com", "a@b@example.com", "us er@example.com", "user@example.com\0",
            "user@exa mple.com", "user@[192.0.2.1]", "user@1.2.3.4", "üser@example.com", "user@*.example.com",
            "\"user@example.com", "\"@example.com", "\"\"@example.com", "\"a\"b\"@example.com", "\"a\\\"@example.com",
            "a\"b@example.com", "user@example.com.",
        ])
    func mailMalformed(name: String) throws {
        #expect(try violation(permitted: [.email("example.com")], san: [.email(name)])?.kind == .malformedName)
        #expect(try violation(excluded: [.email("a.test")], san: [.email(name)])?.kind == .malformedName)
    }

    @Test("Mail addresses in the subject are constrained like those beside it")
    func mailInSubject() throws {
        let subject: [[TestAttribute]] = [[.cn("a"), .email("user@example.org")]]
        let violation = try #require(try violation(permitted: [.email("example.com")], subject: subject))
        #expect(violation.kind == .notPermitted)
        #expect(violation.isInSubject)
        #expect(violation.name == "user@example.org")
        #expect(try CertificatePathTests.violation(permitted: [.email("example.org")], subject: subject) == nil)
        #expect(
            try CertificatePathTests.violation(
                permitted: [.email("example.com")], subject: subject, includingSubject: false)
                == nil)
    }

    @Test(
        "A URI whose host is outside its constraint is a violation",
        arguments: [
            ("example.com", "https://www.example.com/"), (".example.com", "https://example.com/"),
            ("example.com", "https://example.org/"), ("example.com", "https://example.com@evil.test/"),
            ("example.com", "https://evil.test/example.com"), ("example.com", "https://evil.test?@example.com"),
            ("example.com", "https://evil.test#@example.com"), ("example.com:443", "https://example.com:443/"),
            ("https://example.com", "https://example.com"),
        ])
    func uriNotPermitted(constraint: String, name: String) throws {
        #expect(try violation(permitted: [.uri(constraint)], san: [.uri(name)])?.kind == .notPermitted)
    }

    @Test(
        "A URI is constrained by its host alone",
        arguments: [
            ("example.com", "https://example.com"), ("example.com", "HTTPS://user:pw@EXAMPLE.com:8443/a?b#c"),
            (".example.com", "ldap://a.example.com/x@y.test"), (".example.com", "x+y-z.1://a.b.example.com?q"),
            ("", "https://example.com"), ("example.com", "https://a@b@example.com:/"),
        ])
    func uriPermitted(constraint: String, name: String) throws {
        #expect(try violation(permitted: [.uri(constraint)], san: [.uri(name)]) == nil)
        #expect(try violation(excluded: [.uri(constraint)], san: [.uri(name)])?.kind == .excluded)
    }

    @Test(
        "A URI without a host name fails under any URI constraint",
        arguments: [
            "", "example.com", "//example.com", "https:", "https://", "https:///path", "urn:example:a",
            "mailto:a@example.com",
            "https://192.0.2.1/", "https://[::1]/", "https://[::1]:80/", "https://example.com:8a/",
            "https://exa%6Dple.com/",
            "https://example.com./", "https://*.example.com/", "https:/example.com", "1https://example.com",
            "https://example.com\\@evil.test/", "https://example.com\0/", "https://bücher.example/", "://example.com",
        ])
    func uriMalformed(name: String) throws {
        #expect(try violation(permitted: [.uri("")], san: [.uri(name)])?.kind == .malformedName)
        #expect(try violation(excluded: [.uri("a.test")], san: [.uri(name)])?.kind == .malformedName)
    }

    @Test("IP addresses are compared with ranges of their own version")
    func addresses() throws {
        let v4: TestName = .ip([10, 1, 0, 0, 255, 255, 0, 0])
        let v6: TestName = .ip(
            [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 12) + Array(repeating: 255, count: 4)
                + Array(repeating: 0, count: 12))
        let inside: TestName = .ip([10, 1, 255, 255])
        let inside6: TestName = .ip([0x20, 1, 0xD, 0xB8] + Array(repeating: 7, count: 12))
        #expect(try violation(permitted: [v4], san: [inside]) == nil)
        #expect(try violation(permitted: [v6], san: [inside6]) == nil)
        #expect(try violation(permitted: [v4, v6], san: [inside, inside6]) == nil)
        #expect(try violation(permitted: [v4], san: [inside6])?.kind == .notPermitted)
        #expect(try violation(permitted: [v6], san: [inside])?.kind == .notPermitted)
        #expect(try violation(permitted: [v4], san: [.ip([10, 2, 0, 0])])?.constraints == ["10.1.0.0/16"])
        #expect(try violation(permitted: [v4], san: [.ip([10, 0, 255, 255])])?.name == "10.0.255.255")
        #expect(try violation(excluded: [v4, v6], san: [inside6])?.constraints == ["2001:db8::/32"])
        #expect(try violation(excluded: [v4], san: [inside6]) == nil)
    }

    @Test("Ranges that are nested, equal, whole, single or written with host bits are read as ranges")
    func ranges() throws {
        let nested: [TestName] = [
            .ip([10, 1, 2, 0, 255, 255, 255, 0]), .ip([10, 0, 0, 0, 255, 0, 0, 0]), .ip([10, 0, 0, 0, 255, 0, 0, 0]),
            .ip([192, 0, 2, 1, 255, 255, 255, 255]),
        ]
        #expect(
            try violation(permitted: nested, san: [.ip([10, 9, 9, 9]), .ip([10, 1, 2, 3]), .ip([192, 0, 2, 1])]) == nil)
        #expect(try violation(permitted: nested, san: [.ip([192, 0, 2, 2])])?.kind == .notPermitted)
        #expect(try violation(permitted: nested, san: [.ip([9, 255, 255, 255])])?.kind == .notPermitted)
        #expect(try violation(permitted: nested, san: [.ip([11, 0, 0, 0])])?.kind == .notPermitted)
        #expect(try violation(permitted: [.ip([10, 9, 8, 7, 255, 0, 0, 0])], san: [.ip([10, 0, 0, 1])]) == nil)
        let all: TestName = .ip(Array(repeating: 0, count: 8))
        #expect(try violation(excluded: [all], san: [.ip([255, 255, 255, 255])])?.constraints == ["0.0.0.0/0"])
        #expect(try violation(excluded: [all], san: [.ip(Array(repeating: 1, count: 16))]) == nil)
        let all6: TestName = .ip(Array(repeating: 0, count: 32))
        #expect(try violation(excluded: [all6], san: [.ip(Array(repeating: 255, count: 16))])?.constraints == ["::/0"])
    }

    @Test(
        "An address of an impossible size fails under any address constraint", arguments: [0, 1, 3, 5, 8, 15, 17, 32])
    func addressMalformed(size: Int) throws {
        let name = TestName.ip(Array(repeating: 10, count: size))
        #expect(try violation(permitted: [.ip([10, 0, 0, 0, 255, 0, 0, 0])], san: [name])?.kind == .malformedName)
        #expect(try violation(excluded: [.ip([9, 0, 0, 0, 255, 0, 0, 0])], san: [name])?.kind == .malformedName)
        #expect(try violation(excluded: [.dns("a.test")], san: [name]) == nil)
    }

    @Test("Of all masks of one octet, ones followed by zeros are masks", arguments: UInt8.min...UInt8.max)
    func masks(octet: UInt8) throws {
        let kind = try violation(excluded: [.ip([10, 0, 0, 0, 255, octet, 0, 0])], san: [.ip([9, 0, 0, 1])])?.kind
        let isPrefix = octet.leadingZeroBitCount == 0 || octet == 0
        #expect((kind == nil) == (isPrefix && (~octet & (~octet &+ 1)) == 0))
    }

    @Test("A directory name must be the constraint or below it, whatever its string types and case")
    func directories() throws {
        let subtree: TestName = .directory([[.c("DE")], [.o("Example", tag: 0x13)]])
        let below: [[TestAttribute]] = [[.c("de")], [.o("EXAMPLE")], [.cn("a")]]
        #expect(try violation(permitted: [subtree], subject: below) == nil)
        #expect(try violation(permitted: [subtree], san: [.directory(below)]) == nil)
        #expect(try violation(excluded: [subtree], subject: below)?.constraints == ["C=DE, O=Example"])
        #expect(try violation(excluded: [subtree], subject: below)?.name == "C=de, O=EXAMPLE, CN=a")
        for outside: [[TestAttribute]] in [
            [[.c("DE")]], [[.o("Example")], [.c("DE")]], [[.c("DE")], [.o("Examples")]], [[.c("DE"), .o("Example")]],
        ] {
            #expect(try violation(permitted: [subtree], subject: outside)?.kind == .notPermitted)
            #expect(try violation(permitted: [subtree], san: [.directory(outside)])?.kind == .notPermitted)
            #expect(try violation(excluded: [subtree], subject: outside) == nil)
        }
        #expect(try violation(permitted: [subtree], subject: [[.c("FR")]], includingSubject: false) == nil)
    }

    @Test("An empty directory constraint holds every name, and an empty subject is no name")
    func emptyDirectory() throws {
        #expect(try violation(excluded: [.directory([])], subject: [[.cn("a")]])?.kind == .excluded)
        #expect(try violation(permitted: [.directory([])], subject: [[.cn("a")]]) == nil)
        #expect(try violation(permitted: [.directory([[.c("DE")]])], subject: []) == nil)
        #expect(try violation(excluded: [.directory([])], subject: []) == nil)
        #expect(try violation(excluded: [.directory([])], san: [.directory([])])?.kind == .excluded)
    }

    @Test("Attributes of one relative name are compared in any order, and too many are not compared")
    func multipleAttributes() throws {
        let pair: TestName = .directory([[.cn("a"), .o("b")]])
        #expect(try violation(excluded: [pair], subject: [[.o("B"), .cn("A")], [.cn("c")]])?.kind == .excluded)
        let many = (0..<17).map { TestAttribute.o("\($0)") }
        #expect(try violation(excluded: [pair], subject: [many])?.kind == .malformedName)
        #expect(try violation(excluded: [.directory([many])], subject: [[.cn("a")]])?.kind == .malformedConstraint)
        #expect(try violation(permitted: [.directory([many])], subject: [many.reversed()])?.kind == .malformedName)
    }

    @Test("A subject that is no name fails under constraints that would look at it")
    func malformedSubject() throws {
        let certificate = try CertificateView(der: TestDER.encode(subject: DER.sequence(DER.set()), extensions: []))
        for (constraint, isViolation) in [
            (TestName.directory([]), true), (.email("a.test"), true), (.dns("a.test"), false),
        ] {
            let issuer = try TestDER.certificate(nameConstraints: TestDER.nameConstraints(permitted: [constraint]))
            let constraints = try #require(NameConstraints(of: issuer, isCritical: true, maximumSubtrees: nil))
            var budget = NameConstraintBudget(comparisons: 100)
            #expect((constraints.check(certificate, budget: &budget) != nil) == isViolation)
        }
    }

    @Test("Directory names written to collide or to be long end with the budget")
    func hostileDirectories() throws {
        let long = TestName.directory((0..<20_000).map { [.o("\($0)")] })
        #expect(
            try violation(permitted: [.directory([[.c("DE")]])], san: [long], comparisons: 1_000)?.kind
                == .budgetExceeded)
    }

    @Test("An IPv4-mapped address is excluded as either address, and permitted as both")
    func mappedAddresses() throws {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1]
        let ten = TestName.ip([10, 0, 0, 0, 255, 0, 0, 0])
        let other = TestName.ip([192, 0, 2, 0, 255, 255, 255, 0])
        let everyIPv6 = TestName.ip([UInt8](repeating: 0, count: 32))
        func summary(permitted: [TestName] = [], excluded: [TestName] = []) throws -> String {
            try TestChain(
                second: { $0.set(.nameConstraints(permitted: permitted, excluded: excluded)) },
                leaf: { $0.set(.alternativeNames([.dns("www.example.com"), .ip(mapped)])) }
            ).judge().summary
        }
        #expect(try summary(excluded: [ten]) == "0:name-constraints")
        #expect(try summary(excluded: [everyIPv6]) == "0:name-constraints")
        #expect(try summary(excluded: [other]) == "accepted")
        #expect(try summary(permitted: [ten]) == "0:name-constraints")
        #expect(try summary(permitted: [everyIPv6]) == "accepted")
        #expect(try summary(permitted: [everyIPv6, ten]) == "accepted")
        #expect(try summary(permitted: [everyIPv6, other]) == "0:name-constraints")
    }

    @Test("An excluded range of IPv4-mapped addresses excludes the IPv4 addresses, and a wider range does not")
    func excludedMappedRanges() throws {
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let full = [UInt8](repeating: 0xFF, count: 12)
        func summary(_ range: [UInt8], _ mask: [UInt8], permits: Bool = false) throws -> String {
            let subtree = TestName.ip(range + mask)
            return try TestChain(
                second: {
                    $0.set(.nameConstraints(permitted: permits ? [subtree] : [], excluded: permits ? [] : [subtree]))
                },
                leaf: { $0.set(.alternativeNames([.dns("www.example.com"), .ip([10, 0, 0, 1])])) }
            ).judge().summary
        }
        #expect(try summary(prefix + [0, 0, 0, 0], full + [0, 0, 0, 0]) == "0:name-constraints")
        #expect(try summary(prefix + [10, 0, 0, 0], full + [255, 0, 0, 0]) == "0:name-constraints")
        #expect(try summary(prefix + [11, 0, 0, 0], full + [255, 0, 0, 0]) == "accepted")
        #expect(try summary([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16)) == "accepted")
        #expect(try summary(prefix + [10, 0, 0, 0], full + [255, 0, 0, 0], permits: true) == "0:name-constraints")
    }
}
