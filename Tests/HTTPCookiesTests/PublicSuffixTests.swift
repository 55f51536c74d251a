//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import Testing

@testable import HTTPCookies

@Suite("Public suffixes of cookies")
struct PublicSuffixTests {
    private static let builtIn = PublicSuffixList(parsing: BuiltInSuffixes.newest(nil), sections: .all)

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
        #expect(Self.builtIn.ruleCount == BuiltInSuffixes.newest(nil).split(separator: 0x0A).count)
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

    @Test("The list is parsed in a moment")
    func cost() {
        let time = ContinuousClock().measure { _ = PublicSuffixList.forCookies().isPublicSuffix("com") }
        #expect(time < .seconds(2))
    }
}
