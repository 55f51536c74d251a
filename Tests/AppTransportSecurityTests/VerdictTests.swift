//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting
import TLSWire
import Testing

private let suiteGroups: [(UInt16, ATSCipherSuiteGroup, Bool, Bool)] = [
    // Suite, group, in the engine's list, in the archived documentation's.
    (0x1301, .ats, true, true), (0x1302, .ats, true, true), (0x1303, .ats, true, false), (0xC02C, .ats, true, true),
    (0xC02B, .ats, true, true), (0xCCA9, .ats, true, false), (0xC00A, .ats, true, true), (0xC009, .ats, true, true),
    (0xC030, .ats, true, true), (0xC02F, .ats, true, true), (0xCCA8, .ats, true, false), (0xC014, .ats, true, false),
    (0xC013, .ats, true, true), (0xC024, .ats, false, true), (0xC023, .ats, false, true), (0xC028, .ats, false, true),
    (0xC027, .ats, false, true), (0x009D, .ats, false, false), (0x002F, .ats, false, false),
    (0x0033, .ats, false, false), (0x0005, .ats, false, false), (0xFFFF, .ats, false, false),
    (0x009D, .atsAndCompatible, true, true), (0x009C, .atsAndCompatible, true, true),
    (0x0035, .atsAndCompatible, true, true), (0x002F, .atsAndCompatible, true, true),
    (0x003D, .atsAndCompatible, false, true), (0x003C, .atsAndCompatible, false, true),
    (0xC030, .atsAndCompatible, true, true), (0x000A, .atsAndCompatible, false, false),
    (0xC02C, .fcp21, true, true), (0xC02B, .fcp21, true, true), (0xC030, .fcp21, true, true),
    (0xC02F, .fcp21, true, true), (0x1303, .fcp21, true, true), (0xCCA8, .fcp21, false, false),
    (0xC013, .fcp21, false, false), (0x009D, .fcp21, false, false),
]

private let alertCodes: [(UInt8, Int32)] = [
    (20, -9820), (40, -9824), (70, -9836), (71, -9837), (80, -9838), (86, -9860), (109, -9861), (112, -9865),
    (116, -9863), (42, -9825), (48, -9831), (0, -9802), (255, -9802),
]

@Suite("The verdict about a connection")
struct VerdictTests {
    private let chain: TestChain

    init() throws {
        self.chain = try #require(TestChain.good)
    }

    @Test("Advice names no key that Apple's systems refuse: on P-521 in TLS 1.3, and Ed25519 in every version")
    func keysInAdvice() throws {
        let remedies =
            OSStatusCode.allCases.compactMap { $0.transportMeaning?.remedy } + ATSViolation.oneOfEach.map(\.remedy)
        for remedy in remedies where remedy.contains("P-256") {
            #expect(!remedy.contains("larger") && !remedy.contains("P-521"), "\(remedy)")
        }
        // An alert does not say whether it is about suites or about the key.
        let refused = try #require(OSStatusCode.sslPeerHandshakeFail.transportMeaning)
        #expect(refused.remedy.contains("replace a key of it that is neither RSA nor on P-256 or P-384"))
        let edwards = try #require(ATSViolation.oneOfEach.first { $0.code == "key-kind" })
        #expect(edwards.message.contains("Ed25519") && !edwards.message.contains("too small"))
    }

    @Test(
        "An alert that names its cause has the same remedy in a verdict as in a probe",
        arguments: [TLSAlertDescription.noApplicationProtocol, .unrecognizedName])
    func alertRemedies(alert: TLSAlertDescription) throws {
        let violation = try #require(try self.requirements().verdict(on: .failed(.alert(alert))).primary)
        #expect(violation.remedy == ConnectionFailure.alert(alert).remedy)
        #expect(!violation.remedy.contains("log"), "the alert says it all")
    }

    private func requirements(_ dictionary: String = "{}", on system: ATSSystem = .newest) throws -> ATSRequirements {
        try PolicyCase.policy(dictionary, system).requirements(for: ATSDestination(host: "a.test"))
    }

    private func exception(_ keys: String) throws -> ATSRequirements {
        try self.requirements(#"{"NSExceptionDomains": {"a.test": {\#(keys)}}}"#, on: ATSSystem(.iOS, 18))
    }

    private func connection(
        _ requirements: ATSRequirements, _ version: TLSProtocolVersion = .tls12, _ suite: UInt16 = 0xC02B,
        chain: TestChain? = nil
    ) throws -> ATSConnection {
        ATSConnection(
            version: version, cipherSuite: CipherSuite(rawValue: suite), usesExtendedMasterSecret: true,
            trust: try (chain ?? self.chain).trust(requirements))
    }

    @Test("Plain HTTP is refused with -1022, unless nothing demands TLS")
    func plain() throws {
        let refused = try self.requirements().verdict(on: .plain)
        #expect(refused.urlError?.rawValue == -1022 && refused.streamError == nil)
        #expect(refused.primary?.code == "insecure-load")
        #expect(try self.requirements(#"{"NSAllowsArbitraryLoads": true}"#).verdict(on: .plain).isAllowed)
        #expect(try self.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#).verdict(on: .plain).isAllowed)
        #expect(try !self.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.0""#).verdict(on: .plain).isAllowed)
    }

    @Test("A good connection is let through", arguments: [TLSProtocolVersion.tls12, .tls13])
    func good(version: TLSProtocolVersion) throws {
        let requirements = try self.requirements()
        let verdict = requirements.verdict(
            on: try self.connection(requirements, version, version == .tls13 ? 0x1301 : 0xC02B))
        #expect(verdict.isAllowed && verdict.description == "allowed" && verdict.urlError == nil)
    }

    @Test("An old version is refused with -9881")
    func oldVersion() throws {
        let requirements = try self.requirements()
        let verdict = requirements.verdict(on: try self.connection(requirements, .tls11, 0xC013))
        #expect(verdict.violations.map(\.code) == ["tls-version-too-old"])
        #expect(verdict.streamError?.rawValue == -9881 && verdict.urlError?.rawValue == -1200)
        let allowed = try self.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.1""#)
        #expect(allowed.verdict(on: try self.connection(allowed, .tls11, 0xC013)).isAllowed)
        #expect(!allowed.verdict(on: try self.connection(allowed, .tls10, 0xC013)).isAllowed)
    }

    @Test("Where DTLS is demanded no version of TLS passes", arguments: [TLSProtocolVersion.tls10, .tls12, .tls13])
    func datagrams(version: TLSProtocolVersion) throws {
        let requirements = try self.exception(#""NSExceptionMinimumTLSVersion": "DTLSv1.0""#)
        #expect(!requirements.verdict(on: try self.connection(requirements, version)).isAllowed)
    }

    @Test("Cipher suites are those of the group, in each reading", arguments: suiteGroups)
    func cipherSuites(suite: UInt16, group: ATSCipherSuiteGroup, engine: Bool, documented: Bool) throws {
        let suite = CipherSuite(rawValue: suite)
        #expect(group.suites(.engine).contains(suite) == engine)
        #expect(group.suites(.documentation).contains(suite) == documented)
        var requirements = try self.requirements()
        requirements.cipherSuiteGroup = group
        for (strictness, isAllowed) in [(ATSStrictness.engine, engine), (.documentation, documented)] {
            requirements.strictness = strictness
            let facts = ATSConnection(version: .tls12, cipherSuite: suite, trust: nil)
            let violations = requirements.violations(ofTransport: facts)
            #expect(violations.isEmpty == isAllowed)
            #expect(isAllowed || violations.first?.osStatus?.rawValue == -9882)
        }
    }

    @Test("The lists have the sizes of the tables they come from")
    func listSizes() {
        #expect(ATSCipherSuiteGroup.ats.suites().count == 13)
        #expect(ATSCipherSuiteGroup.atsAndCompatible.suites().count == 17)
        #expect(ATSCipherSuiteGroup.atsAndCompatible.suites().first?.rawValue == 0x009D)
        #expect(ATSCipherSuiteGroup.ats.suites(.documentation).filter { !$0.isTLS13 }.count == 11)
        #expect(ATSCipherSuiteGroup.fcp21.suites().count == 7)
        for group in ATSCipherSuiteGroup.allCases {
            #expect(group.suites().allSatisfy { $0.protection != .broken && $0.protection != nil })
        }
    }

    @Test("FCP_v2.1 demands the extended master secret in TLS 1.2, and knowing of it")
    func masterSecret() throws {
        let requirements = try self.requirements(#"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#)
        var connection = try self.connection(requirements)
        #expect(requirements.verdict(on: connection).isAllowed)
        connection.usesExtendedMasterSecret = false
        #expect(requirements.verdict(on: connection).violations.map(\.code) == ["no-extended-master-secret"])
        #expect(requirements.verdict(on: connection).streamError?.rawValue == -9880)
        connection.usesExtendedMasterSecret = nil
        #expect(requirements.verdict(on: connection).primary?.code == "unknown-extended-master-secret")
        connection.version = .tls13
        connection.cipherSuite = CipherSuite(rawValue: 0x1301)
        #expect(requirements.verdict(on: connection).isAllowed)
        connection = try self.connection(requirements, .tls12, 0xCCA8)
        #expect(requirements.verdict(on: connection).violations.map(\.code) == ["cipher-suite"])
    }

    @Test("What is not known speaks against a connection")
    func unknown() throws {
        let requirements = try self.requirements()
        let trust = try self.chain.trust(requirements)
        let suite = CipherSuite(rawValue: 0x1301)
        for (connection, code) in [
            (ATSConnection(version: nil, cipherSuite: suite, trust: trust), "unknown-version"),
            (ATSConnection(version: .tls13, cipherSuite: nil, trust: trust), "unknown-cipher-suite"),
            (ATSConnection(version: .tls13, cipherSuite: suite, trust: nil), "unknown-trust"),
        ] {
            #expect(requirements.verdict(on: connection).violations.map(\.code) == [code])
        }
        let alone = try self.requirements(#"{"NSAllowsArbitraryLoads": true}"#)
        #expect(!alone.verdict(on: ATSConnection(version: .tls13, cipherSuite: suite, trust: nil)).isAllowed)
    }

    @Test("A connection that did not come about has the code of its end", arguments: alertCodes)
    func alerts(number: UInt8, status: Int32) throws {
        let failure = ConnectionFailure.alert(TLSAlertDescription(rawValue: number))
        let verdict = try self.requirements().verdict(on: .failed(failure))
        #expect(verdict.urlError?.rawValue == -1200 && verdict.streamError?.rawValue == status)
        #expect(verdict.streamError?.transportMeaning != nil)
    }

    @Test("Trust comes first, and is the app's to overrule only where App Transport Security is not enforced")
    func untrusted() throws {
        for (dictionary, isOverridable) in [
            ("{}", false), (#"{"NSAllowsArbitraryLoads": true}"#, true),
            (#"{"NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#, true),
            (#"{"NSExceptionDomains": {"a.test": {"NSExceptionRequiresForwardSecrecy": false}}}"#, false),
        ] {
            let requirements = try self.requirements(dictionary)
            let trust = try self.chain.trust(requirements, anchors: TrustAnchors.none)
            let verdict = requirements.verdict(
                on: ATSConnection(version: .tls13, cipherSuite: CipherSuite(rawValue: 0x1301), trust: trust))
            #expect(verdict.primary?.code == "untrusted" && verdict.urlError?.rawValue == -1202)
            #expect(verdict.streamError?.rawValue == -9813)
            #expect(verdict.isOverridable == isOverridable)
        }
    }

    @Test("Names and dates have the codes of SecureTransport")
    func namesAndDates() throws {
        let requirements = try self.requirements()
        let suite = CipherSuite(rawValue: 0x1301)
        let other = try self.chain.trust(requirements, host: "b.test")
        #expect(
            requirements.verdict(on: ATSConnection(version: .tls13, cipherSuite: suite, trust: other)).streamError?
                .rawValue
                == -9843)
        let expired = try TestChain { $0.setValidity(from: .seconds(-200_000), lasting: .seconds(100_000)) }
        let early = try TestChain { $0.setValidity(from: .seconds(100_000), lasting: .seconds(100_000)) }
        for (chain, code) in [(expired, Int32(-9814)), (early, -9815)] {
            let connection = try self.connection(requirements, .tls13, 0x1301, chain: chain)
            #expect(requirements.verdict(on: connection).streamError?.rawValue == code)
        }
    }
}
