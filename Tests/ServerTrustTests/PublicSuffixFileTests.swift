//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Synchronization
import TestSupport
import Testing

@testable import ServerTrust

/// Paths at which no list is installed.
private let nowhere = ["/nowhere/public_suffix_list.dat"]

@Suite("Public suffixes")
struct PublicSuffixFileTests {
    private static let builtIn = PublicSuffixFile.list(.all, installedAt: nowhere)

    @Test(
        "A wildcard below a registry stands for no name, on machines without a list too",
        arguments: [
            ("*.co.uk", "foo.co.uk", false), ("*.x.kawasaki.jp", "a.x.kawasaki.jp", false),
            ("*.xn--55qx5d.cn", "a.xn--55qx5d.cn", false), ("*.example.co.uk", "a.example.co.uk", true),
            ("*.city.kawasaki.jp", "a.city.kawasaki.jp", true), ("*.github.io", "a.github.io", true),
            ("*.corp.internal", "a.corp.internal", true), ("foo.co.uk", "foo.co.uk", true),
        ])
    func wildcards(name: String, host: String, isTrusted: Bool) throws {
        var trust = try TestTrust.trust(
            try TestChain(leaf: { $0.set(.alternativeNames([.dns(name)])) }), host: host)
        #expect(trust.evaluate().isTrusted == isTrusted)
        trust.publicSuffixes = PublicSuffixFile.list(.registries, installedAt: nowhere)
        #expect(TestTrust.checks(trust) == (isTrusted ? [] : [.sslHostname]))
    }

    @Test("An installed list counts where it is newer, and what cannot be read is passed over")
    func installed() throws {
        let folder = try TemporaryFolder()
        let newer = try folder.write("newer", "// VERSION: 2999-01-01_00-00-00_UTC\nnewer.example\n")
        let older = try folder.write("older", "// VERSION: 2020-01-01_00-00-00_UTC\nolder.example\n")
        for (paths, name) in [([newer], "newer.example"), (nowhere + [newer], "newer.example"), ([older], "co.uk")] {
            let list = PublicSuffixFile.list(.registries, installedAt: paths)
            #expect(list.isPublicSuffix(name) && !list.isPublicSuffix("older.example"), "\(paths)")
        }
    }

    @Test("A list is not read before a wildcard stands for the name that is asked about")
    func laziness() throws {
        let count = Mutex(0)
        let list = PublicSuffixList {
            count.withLock { $0 += 1 }
            return Array("co.uk\n".utf8)
        }
        var trust = try TestTrust.trust(try TestChain())
        trust.publicSuffixes = list
        #expect(trust.evaluate().isTrusted && count.withLock { $0 } == 0)
        trust = try TestTrust.trust(
            try TestChain(leaf: { $0.set(.alternativeNames([.dns("*.co.uk")])) }), host: "a.co.uk")
        trust.publicSuffixes = list
        #expect(!trust.evaluate().isTrusted && count.withLock { $0 } == 1)
    }

    @Test(
        "Registries and operators are known, without a list of the system",
        arguments: [
            ("com", true), ("co.uk", true), ("kawasaki.jp", false), ("x.kawasaki.jp", true),
            ("city.kawasaki.jp", false),
            ("ck", true), ("www.ck", false), ("github.io", true), ("one.github.io", false), ("xn--55qx5d.cn", true),
            ("example.com", false), ("blogspot.com", true), ("s3.amazonaws.com", true), ("unlisted", true),
        ])
    func builtIn(name: String, isSuffix: Bool) {
        #expect(Self.builtIn.isPublicSuffix(name) == isSuffix)
    }

    @Test("Every rule of the built-in list is understood")
    func count() {
        #expect(Self.builtIn.ruleCount == BuiltInSuffixes.newest(nil).split(separator: 0x0A).count - 1)
        let registries = PublicSuffixFile.list(.registries, installedAt: nowhere)
        #expect(registries.ruleCount > 6_000 && registries.ruleCount < Self.builtIn.ruleCount)
        #expect(Self.builtIn.ruleCount > 10_000)
    }

    @Test(
        "A list of the system counts if it is newer",
        arguments: [
            ("// VERSION: 2999-01-01_00-00-00_UTC\nnewer.example\n", true),
            ("// x\n\n// VERSION: 2999-01-01_00-00-00_UTC\nnewer.example\n", true),
            ("// VERSION: 2020-01-01_00-00-00_UTC\nnewer.example\n", false), ("newer.example\n", false), ("", false),
            ("// VERSION: \(BuiltInSuffixes.version)\nnewer.example\n", false),
        ])
    func newest(text: String, isUsed: Bool) {
        let list = PublicSuffixList(parsing: BuiltInSuffixes.newest(Array(text.utf8)), sections: .all)
        #expect(list.isPublicSuffix("newer.example") == isUsed)
        #expect(list.isPublicSuffix("co.uk") != isUsed)
    }
}
