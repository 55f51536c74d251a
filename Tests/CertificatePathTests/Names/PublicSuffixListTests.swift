//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import CertificatePath

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Public suffixes")
struct PublicSuffixListTests {
    private static let text: String = """
        // ===BEGIN ICANN DOMAINS===
        com
        uk
        co.uk  trailing words are not read
        *.ck
        !www.ck
        jp
        *.kawasaki.jp
        !city.kawasaki.jp
        公司.cn
        hk
        Upper.Example
        // ===BEGIN PRIVATE DOMAINS===
        github.io
        """

    static let list: PublicSuffixList = PublicSuffixList(parsing: Array(Self.text.utf8))

    @Test(
        "A registrable domain is no public suffix",
        arguments: [
            "example.com", "example.co.uk", "www.ck", "a.www.ck", "city.kawasaki.jp", "kawasaki.jp", "a.b.kawasaki.jp",
            "user.github.io", "github.io", "io.github", "unknown.example", "a.b.ck",
        ])
    func registrable(name: String) {
        #expect(!Self.list.isPublicSuffix(name))
    }

    @Test(
        "A name under which anyone registers is a public suffix, in any case of letters",
        arguments: [
            "com", "COM", "co.uk", "Co.Uk", "b.ck", "ck", "b.kawasaki.jp", "xn--55qx5d.cn", "unlisted",
            "upper.example",
        ])
    func suffix(name: String) {
        #expect(Self.list.isPublicSuffix(name))
    }

    @Test(
        "Operators are public suffixes where all sections count",
        arguments: [("github.io", true), ("user.github.io", false)])
    func allSections(name: String, isSuffix: Bool) {
        let list = PublicSuffixList(parsing: Array(Self.text.utf8), sections: .all)
        #expect(list.isPublicSuffix(name) == isSuffix)
        #expect(list.isPublicSuffix("co.uk"))
    }

    @Test("Lines that are no rules do not take the others away")
    func junk() {
        var text: [UInt8] = Array(UInt8.min...UInt8.max) + [0x0A]
        text += Array("!\n*.\n!*.a\n..\n.com\na.*.b\n-\n".utf8) + [0xFF, 0xFE, 0x0A]
        text += Array(repeating: UInt8(ascii: "a"), count: 100_000) + Array("\r\nco.uk\r\n".utf8)
        let list = PublicSuffixList(parsing: text)
        #expect(list.isPublicSuffix("co.uk"))
        #expect(list.ruleCount == 1)
    }

    @Test("An endless list ends")
    func bounded() {
        let beyond = Array(repeating: UInt8(ascii: "/"), count: 4 << 20) + Array("\nco.uk\n".utf8)
        #expect(PublicSuffixList(parsing: beyond).ruleCount == 0)
        let many = (0..<100_010).map { "a\($0)" }.joined(separator: "\n")
        #expect(PublicSuffixList(parsing: Array(many.utf8)).ruleCount == 100_000)
        #expect(PublicSuffixList(parsing: []).ruleCount == 0)
    }

    @Test("A byte order mark is no part of the first rule")
    func byteOrderMark() {
        #expect(PublicSuffixList(parsing: Array("\u{FEFF}co.uk\n".utf8)).isPublicSuffix("co.uk"))
    }

    @Test("The system's list is understood whole", .enabled(if: systemList != nil))
    func readsSystemList() throws {
        let bytes = try #require(systemList)
        let list = PublicSuffixList(parsing: bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        let official = text.split(separator: "// ===BEGIN PRIVATE DOMAINS===")[0]
        let lines = official.utf8.split(separator: 0x0A).filter {
            !$0.starts(with: "//".utf8) && $0.contains { $0 > 0x20 }
        }
        #expect(list.ruleCount == lines.count)
        for name in ["com", "co.uk", "b.ck", "xn--p1ai", "xn--fiqs8s", "xn--55qx5d.cn"] {
            #expect(list.isPublicSuffix(name), "\(name)")
        }
        for name in ["example.com", "www.ck", "example.co.uk", "apple.com", "github.io", "googleapis.com"] {
            #expect(!list.isPublicSuffix(name), "\(name)")
        }
    }
}

private let systemList: [UInt8]? = {
    guard let file = fopen("/usr/share/publicsuffix/public_suffix_list.dat", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}()

@Suite("Punycode")
struct PunycodeTests {
    @Test(
        "Labels are encoded as in RFC 3492 §7.1 and the registries",
        arguments: [
            ("bücher", "xn--bcher-kva"), ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("למההםפשוטלאמדבריםעברית", "xn--4dbcagdahymbxekheh6e0a7fei0b"),
            ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("PorquénopuedensimplementehablarenEspañol", "xn--PorqunopuedensimplementehablarenEspaol-fmd56a"),
            ("3年B組金八先生", "xn--3B-ww4c5e180e575a65lsy2b"), ("パフィーdeルンバ", "xn--de-jg4avhby1noc0d"),
            ("そのスピードで", "xn--d9juau41awczczp"), ("рф", "xn--p1ai"), ("ascii", "ascii"), ("", ""),
            ("😀", "xn--e28h"),
        ])
    func vectors(label: String, expected: String) {
        #expect(Punycode.aLabel(of: label) == expected)
    }

    @Test("A label that no encoding makes short is refused, and the highest scalars do not overflow")
    func bounds() {
        #expect(Punycode.aLabel(of: String(repeating: "ü", count: 64)) == nil)
        #expect(Punycode.aLabel(of: String(repeating: "a", count: 62) + "\u{10FFFF}") != nil)
        #expect(Punycode.aLabel(of: String(repeating: "\u{10FFFF}\u{80}", count: 31)) != nil)
    }
}
