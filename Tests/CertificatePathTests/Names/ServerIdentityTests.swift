//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Server identity")
struct ServerIdentityTests {
    static let list = PublicSuffixListTests.list

    static func match(
        _ san: [TestName], _ host: String, subject: [[TestAttribute]] = [], list: PublicSuffixList? = list
    ) throws -> ServerIdentityMatch {
        try ServerIdentity(host: host, publicSuffixes: list)
            .match(TestDER.certificate(san: san, subject: subject))
    }

    @Test(
        "A DNS name that is not exactly the host does not match it",
        arguments: [
            ("example.com", "www.example.com"), ("www.example.com", "example.com"), ("example.com", "example.org"),
            ("example.com", "xexample.com"), ("xexample.com", "example.com"), ("example.com.", "example.com"),
            (".example.com", "example.com"), (".example.com", "www.example.com"), ("", "example.com"),
            ("example.com\0", "example.com"), ("example.com\0.evil.com", "example.com"),
            (" example.com", "example.com"),
            ("example.com ", "example.com"), ("*", "localhost"), ("*", "example.com"), ("*.", "localhost"),
            ("*.com", "example.com"), ("*.example.com", "example.com"), ("*.example.com", "a.b.example.com"),
            ("*.example.com", ".example.com"), ("w*.example.com", "www.example.com"),
            ("*w.example.com", "www.example.com"), ("w*w.example.com", "www.example.com"),
            ("**.example.com", "www.example.com"), ("*.*.example.com", "a.b.example.com"),
            ("www.*.com", "www.example.com"), ("*.*.com", "www.example.com"), ("www.example.*", "www.example.com"),
            ("*.co.uk", "example.co.uk"), ("*.b.ck", "a.b.ck"),
            ("*.xn--55qx5d.cn", "a.xn--55qx5d.cn"), ("*.example.com.", "www.example.com"),
            ("xn--*.example.com", "xn--bcher-kva.example.com"), ("*-x.example.com", "a-x.example.com"),
            ("bücher.example", "xn--bcher-kva.example"), ("https://example.com", "example.com"),
        ])
    func mismatches(presented: String, host: String) throws {
        #expect(try !Self.match([.dns(presented)], host).isMatch)
    }

    @Test(
        "A DNS name that is the host matches it",
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com", "example.COM"), ("example.com", "example.com."),
            ("localhost", "localhost"), ("*.example.com", "www.example.com"), ("*.Example.COM", "WWW.example.com"),
            ("*.example.com", "xn--bcher-kva.example.com"), ("*.a.example.com", "b.a.example.com"),
            ("*.example.co.uk", "www.example.co.uk"), ("a_b.example.com", "a_b.example.com"),
            ("*.www.ck", "a.www.ck"), ("*.user.github.io", "a.user.github.io"), ("*.github.io", "user.github.io"),
            ("*.example.com", "a-rather-long-label-that-is-still-one.example.com"), ("co.uk", "co.uk"),
        ])
    func matches(presented: String, host: String) throws {
        #expect(try Self.match([.dns(presented)], host).isMatch)
        #expect(try Self.match([.dns("other.example"), .email("a@b.c"), .dns(presented)], host).isMatch)
    }

    @Test("Without a list, wildcards may stand below public suffixes but not below top-level domains")
    func withoutList() throws {
        #expect(try Self.match([.dns("*.co.uk")], "example.co.uk", list: nil).isMatch)
        #expect(try !Self.match([.dns("*.uk")], "co.uk", list: nil).isMatch)
    }

    @Test("One DNS name that is not UTF-8 voids all of them, wherever it stands")
    func notUTF8() throws {
        for bad: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] {
            for san in [[TestName.dns("example.com"), .dnsOctets(bad)], [.dnsOctets(bad), .dns("example.com")]] {
                guard case .mismatch(let presented) = try Self.match(san, "example.com") else {
                    Issue.record("matched beside \(bad)")
                    continue
                }
                #expect(presented.dnsNamesAreVoid)
            }
        }
        #expect(try Self.match([.dns("bücher.example"), .dns("example.com")], "example.com").isMatch)
    }

    @Test("A malformed address leaves DNS names alone, and bad text leaves addresses alone")
    func voidsOnlyItsForm() throws {
        #expect(try Self.match([.ip([1]), .dns("example.com")], "example.com").isMatch)
        #expect(try Self.match([.dnsOctets([0xFF]), .ip([192, 0, 2, 1])], "192.0.2.1").isMatch)
    }

    @Test("The common name is never used, and the evidence says when it would have matched")
    func commonName() throws {
        for (host, name) in [
            ("example.com", "example.com"), ("www.example.com", "*.example.com"), ("192.0.2.1", "192.0.2.1"),
        ] {
            guard case .mismatch(let presented) = try Self.match([], host, subject: [[.cn(name)]]) else {
                Issue.record("\(host) matched a common name")
                continue
            }
            #expect(presented.commonNameWouldMatch)
            #expect(presented.commonNames == [name])
            #expect(!presented.hasSubjectAlternativeName)
        }
        guard case .mismatch(let other) = try Self.match([], "a.example", subject: [[.cn("b.example")]]) else { return }
        #expect(!other.commonNameWouldMatch)
    }

    @Test(
        "An address that is not the octets of the host does not match it",
        arguments: [
            (TestName.ip([192, 0, 2, 2]), "192.0.2.1"), (.dns("192.0.2.1"), "192.0.2.1"), (.dns("::1"), "::1"),
            (.dns("*.0.2.1"), "192.0.2.1"), (.uri("https://192.0.2.1"), "192.0.2.1"),
            (.ip(Array(repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]), "192.0.2.1"),
            (.ip([192, 0, 2, 1]), "::ffff:192.0.2.1"), (.ip(Array("192.0.2.1".utf8)), "192.0.2.1"),
            (.ip([192, 0, 2, 1, 255, 255, 255, 255]), "192.0.2.1"), (.ip([]), "192.0.2.1"),
        ])
    func addressMismatches(presented: TestName, host: String) throws {
        #expect(try !Self.match([presented], host).isMatch)
    }

    @Test("An address matches by its octets")
    func addressMatches() throws {
        #expect(try Self.match([.dns("a.example"), .ip([192, 0, 2, 1])], "192.0.2.1").isMatch)
        #expect(try Self.match([.ip(Array(repeating: 0, count: 15) + [1])], "[::1]").isMatch)
    }

    @Test("One address of an impossible size voids all of them", arguments: [0, 1, 3, 5, 8, 15, 17, 32])
    func addressVoid(size: Int) throws {
        let bad = TestName.ip(Array(repeating: 1, count: size))
        let good = TestName.ip([192, 0, 2, 1])
        #expect(try !Self.match([bad, good], "192.0.2.1").isMatch)
        guard case .mismatch(let presented) = try Self.match([good, bad], "192.0.2.1") else {
            Issue.record("matched")
            return
        }
        #expect(presented.ipAddressesAreVoid)
        #expect(presented.ipAddressCount == 2)
    }

    @Test("An IP address written as DNS name is evidence")
    func addressAsDNSName() throws {
        guard case .mismatch(let presented) = try Self.match([.dns("192.0.2.1")], "192.0.2.1") else { return }
        #expect(presented.addressIsWrittenAsDNSName)
    }

    @Test(
        "A wildcard that comes close is explained",
        arguments: [
            ("w*.example.com", "www.example.com", UncountedName.Reason.partOfLabel),
            ("www.*.com", "www.example.com", .notInLeftmostLabel), ("*.com", "example.com", .tooFewLabels),
            ("*.co.uk", "example.co.uk", .publicSuffix), ("*.example.com", "a.b.example.com", .standsForOneLabel),
            ("*.example.com", "example.com", .standsForOneLabel),
        ])
    func explainsWildcards(pattern: String, host: String, reason: UncountedName.Reason) throws {
        guard case .mismatch(let presented) = try Self.match([.dns(pattern), .dns("*.other.example")], host) else {
            Issue.record("matched")
            return
        }
        #expect(presented.uncountedNames == [UncountedName(text: pattern, reason: reason)])
        #expect(presented.uncountedNames.first?.description.hasPrefix(pattern) == true)
    }

    @Test("Evidence is cut, counted and printable")
    func bounded() throws {
        let names =
            (0..<5_000).map { TestName.dns("*.example\($0)\u{1B}.com") } + [.dns(String(repeating: "a", count: 9_000))]
        guard case .mismatch(let presented) = try Self.match(names, "example.com") else { return }
        #expect(presented.dnsNames.count == PresentedIdentities.maximumNames)
        #expect(presented.dnsNameCount == 5_001)
        #expect(presented.dnsNames.first == "*.example0\\x1b.com")
    }

    @Test("An identity that is not of its own form matches nothing and says why")
    func invalidReference() throws {
        let names: [TestName] = [.dns("*.example.com"), .dns("a..b"), .dns("1.2.3"), .email("a"), .dns("*"), .dns("")]
        let certificate = try TestDER.certificate(san: names)
        for reference: ReferenceIdentity in [
            .dnsName("*.example.com"), .dnsName("a..b"), .dnsName("1.2.3"), .dnsName(""), .dnsName("*"),
            .rfc822Name("a"),
        ] {
            let identity = ServerIdentity(reference, publicSuffixes: nil)
            #expect(!identity.match(certificate).isMatch)
            #expect(identity.invalidReference != nil)
        }
        for host in ["*.example.com", "a..b", "", "*", "1.2.3"] {
            let identity = ServerIdentity(host: host, publicSuffixes: nil)
            #expect(!identity.match(certificate).isMatch)
            #expect(identity.invalidReference != nil)
        }
        #expect(ServerIdentity(host: "example.com", publicSuffixes: nil).invalidReference == nil)
    }

    @Test(
        "A mail address matches by its local part as it is and its host in any case",
        arguments: [
            ("a@example.com", "a@example.com", true), ("a@EXAMPLE.com", "a@example.COM", true),
            ("\"a\"@example.com", "a@example.com", true), ("A@example.com", "a@example.com", false),
            ("a@example.com", "b@example.com", false), ("a@www.example.com", "a@example.com", false),
            ("*@example.com", "a@example.com", false), ("example.com", "a@example.com", false),
            ("a@example.com\0", "a@example.com", false), ("a@*.example.com", "a@b.example.com", false),
        ])
    func mail(presented: String, sought: String, expected: Bool) throws {
        let certificate = try TestDER.certificate(san: [.email(presented)])
        let match = ServerIdentity.matches(
            certificate: certificate, reference: .rfc822Name(sought), publicSuffixes: nil)
        #expect(match.isMatch == expected)
    }

    @Test("No octet in a DNS name makes it another host")
    func everyOctet() throws {
        for octet in UInt8.min...UInt8.max {
            for name in [Array("example.com".utf8) + [octet], [octet] + Array("example.com".utf8)] {
                #expect(try !Self.match([.dnsOctets(name)], "example.com").isMatch, "\(octet)")
            }
            let replaced = Array("exampl".utf8) + [octet] + Array(".com".utf8)
            #expect(try Self.match([.dnsOctets(replaced)], "example.com").isMatch == [0x45, 0x65].contains(octet))
        }
    }
}
