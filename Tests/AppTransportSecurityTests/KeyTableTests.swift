//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

private let secure = "tls TLSv1.2 ats checks"

/// A key of the table: where it belongs, what its value is, and whether the App Store asks why.
private struct KeyRow: Sendable, CustomTestStringConvertible {
    let name: String
    let levels: Set<ATSKey.Level>
    let type: ATSKey.ValueType
    let isJustified: Bool
    var replacement: String?

    init(
        _ name: String, _ levels: Set<ATSKey.Level>, _ type: ATSKey.ValueType, justified isJustified: Bool = false,
        replacement: String? = nil
    ) {
        self.name = name
        self.levels = levels
        self.type = type
        self.isJustified = isJustified
        self.replacement = replacement
    }

    var testDescription: String { self.name }
}

private let keys: [KeyRow] =
    [
        KeyRow("NSAllowsArbitraryLoads", [.global], .boolean, justified: true),
        KeyRow("NSAllowsArbitraryLoadsForMedia", [.global], .boolean, justified: true),
        KeyRow("NSAllowsArbitraryLoadsInWebContent", [.global], .boolean, justified: true),
        KeyRow("NSAllowsLocalNetworking", [.global], .boolean),
        KeyRow("NSRequiresNIAPTLSPackageVersion", [.global], .string),
        KeyRow("NSExceptionDomains", [.global], .dictionary),
        KeyRow("NSIncludesSubdomains", [.exception, .pinnedDomain], .boolean),
        KeyRow("NSExceptionAllowsInsecureHTTPLoads", [.exception], .boolean, justified: true),
        KeyRow("NSExceptionMinimumTLSVersion", [.exception], .string, justified: true),
        KeyRow("NSExceptionRequiresForwardSecrecy", [.exception], .boolean),
        KeyRow("NSExceptionRequiresNIAPTLSPackageVersion", [.exception], .string),
        KeyRow("NSRequiresCertificateTransparency", [.exception], .boolean),
        KeyRow("NSPinnedDomains", [.global], .dictionary),
        KeyRow("NSPinnedCAIdentities", [.pinnedDomain], .array),
        KeyRow("NSPinnedLeafIdentities", [.pinnedDomain], .array),
        KeyRow("SPKI-SHA256-BASE64", [.pin], .string),
    ]
    + ["NSTemporaryException", "NSThirdPartyException"].flatMap { prefix in
        [
            ("AllowsInsecureHTTPLoads", ATSKey.ValueType.boolean), ("MinimumTLSVersion", .string),
            ("RequiresForwardSecrecy", .boolean),
        ].map {
            KeyRow(prefix + $0.0, [.exception], $0.1, replacement: "NSException" + $0.0)
        }
    }

/// Dictionaries that say nothing: no system reads what is in them, at any place or under any name that is not the key's.
private let ignored: [String] = [
    #"{"NSAllowsArbitraryLoads ": true}"#, #"{" NSAllowsArbitraryLoads": true}"#, #"{"nsAllowsArbitraryLoads": true}"#,
    #"{"NSAllowArbitraryLoads": true}"#, #"{"NSAllowsArbitraryLoads": "YES"}"#, #"{"NSAllowsArbitraryLoads": "true"}"#,
    #"{"NSExceptionAllowsInsecureHTTPLoads": true}"#, #"{"NSExceptionMinimumTLSVersion": "TLSv1.0"}"#,
    #"{"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#,
    #"{"NSExceptionDomain": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
    #"{"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}"#, #"{"SecTrustPinningRequired": true}"#,
    #"{"NSExceptionDomains": {"NSAllowsArbitraryLoads": true}}"#,
    #"{"NSExceptionDomains": [{"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}]}"#,
]

/// Entries of an exception that leave everything as it is without them.
private let withoutEffect: [String] = [
    "", #""NSRequiresCertificateTransparency": true"#, #""NSRequiresCertificateTransparency": false"#,
    #""NSTemporaryExceptionAllowsInsecureHTTPLoads": true"#, #""NSTemporaryExceptionMinimumTLSVersion": "TLSv1.0""#,
    #""NSTemporaryExceptionRequiresForwardSecrecy": false"#, #""NSThirdPartyExceptionAllowsInsecureHTTPLoads": true"#,
    #""NSThirdPartyExceptionMinimumTLSVersion": "TLSv1.0""#, #""NSThirdPartyExceptionRequiresForwardSecrecy": false"#,
    #""NSTemporaryExceptionAllowsInsecureHTTPSLoads": true"#, #""NSExceptionMinimumTLSVerion": "TLSv1.0""#,
    #""NSExceptionMinimumTLSVersion ": "TLSv1.0""#, #""NSExceptionMinimumTLSVersion": "1.0""#,
    #""NSExceptionMinimumTLSVersion": 1"#, #""NSExceptionMinimumTLSVersion": ["TLSv1.0"]"#,
    #""NSExceptionRequiresForwardSecrecy": 1"#, #""NSExceptionRequiresForwardSecrecy": "NO""#,
    #""NSExceptionAllowsInsecureHTTPLoads": 2"#, #""NSExceptionAllowsInsecureHTTPLoads": -1"#,
    #""NSExceptionAllowsInsecureHTTPLoads": 0.5"#, #""NSAllowsArbitraryLoads": true"#,
    #""NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#,
    #""NSPinnedLeafIdentities": []"#, #""NSRequiresNIAPTLSPackageVersion": "FCP_v2.1""#,
    #""NSExceptionRequiresNIAPTLSPackageVersion": "fcp_v2.1""#,
]

@Suite("Each key of NSAppTransportSecurity")
struct KeyTableTests {
    @Test("Misspelt, misplaced and mistyped keys change nothing", arguments: ignored, ATSStrictness.allCases)
    func ignoredKeys(dictionary: String, strictness: ATSStrictness) throws {
        let policy = try PolicyCase.policy(dictionary, .newest, strictness)
        let requirements = policy.requirements(for: ATSDestination(host: "a.test", isLocal: false))
        #expect(PolicyCase.summary(of: requirements) == secure && requirements.pins == nil)
        #expect(!policy.dictionary.issues.isEmpty)
    }

    @Test("What an exception says in vain leaves the defaults", arguments: withoutEffect, ATSStrictness.allCases)
    func vainKeys(keys: String, strictness: ATSStrictness) throws {
        let dictionary = #"{"NSExceptionDomains": {"a.test": {\#(keys)}}}"#
        let requirements = try PolicyCase.policy(dictionary, .newest, strictness)
            .requirements(for: ATSDestination(host: "a.test", isLocal: false))
        #expect(PolicyCase.summary(of: requirements) == "\(secure) by a.test")
        #expect(requirements.minimumRSAKeySize == 2_048 && requirements.minimumECKeySize == 256)
        #expect(requirements.requiresSHA256 && requirements.pins == nil && !requirements.requiresExtendedMasterSecret)
    }

    @Test("It belongs where the table says, with the value it says", arguments: keys)
    private func table(row: KeyRow) throws {
        let key = try #require(ATSKey(rawValue: row.name))
        #expect(key.levels == row.levels && key.valueType == row.type && key.needsJustification == row.isJustified)
        #expect(key.replacement?.rawValue == row.replacement)
    }

    @Test("There is no key that is not in the table")
    func complete() {
        #expect(ATSKey.allCases.map(\.rawValue).sorted() == keys.map(\.name).sorted())
    }

    @Test(
        "NIAP's package is named in three ways, and the entry's stands before that for all",
        arguments: [
            ("none", NIAPTLSPackage.none), ("FCP_v2.1", .fcp21), ("recommended", .fcp21), ("FCP_v2.2", .none),
            ("Recommended", .none), ("", .none),
        ])
    func packages(text: String, package: NIAPTLSPackage) throws {
        let domains = #""NSExceptionDomains": {"a.test": {"NSExceptionRequiresNIAPTLSPackageVersion": "\#(text)"}}"#
        for (dictionary, host) in [
            (#"{"NSRequiresNIAPTLSPackageVersion": "\#(text)"}"#, "b.test"), (#"{\#(domains)}"#, "a.test"),
        ] {
            let requirements = try PolicyCase.policy(dictionary, .newest).requirements(for: ATSDestination(host: host))
            #expect(requirements.niapPackage == package)
        }
    }
}
