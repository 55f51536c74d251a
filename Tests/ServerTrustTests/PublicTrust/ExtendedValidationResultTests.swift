//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@Suite("Extended validation in the result")
struct ExtendedValidationResultTests {
    private static let (root, issuer) = (CraftedAuthority("Root", .p256(1)), CraftedAuthority("Issuer", .p256(12)))

    /// A chain with extended validation, with timestamps of the logs 901 and 902.
    private static func trust(host: String = "www.example.com") throws -> Trust {
        let anchor = try Self.root.authority()
        let intermediate = try Self.root.authority(Self.issuer) {
            $0.set(.policies(["2.5.29.32.0"]))
            $0.set(.distributionPoints([Point.uri("http://crl.example/")]))
        }
        var leaf = Self.issuer.leafTemplate {
            $0.subject = TestDER.name([[.o("Example GmbH")], [.cn("www.example.com")]])
            $0.set(.policies(["2.23.140.1.1"]))
        }
        let entry = TestTimestamp.entry(leaf, issuer: Self.issuer.key)
        leaf.set(.timestamps(try TestTimestamp.list([TestTimestamp(901), TestTimestamp(902)], entry)))
        var trust = try Trust(
            certificates: [Certificate(try leaf.view()), Certificate(intermediate)],
            policy: .tlsServer(hostname: host), configuration: .only([Certificate(anchor)]))
        trust.verifyDate = Date(testTime)
        let logs = try ([901, 902] as [UInt16]).map {
            try TransparencyLog(subjectPublicKeyInfo: TestKey.p256($0).info)
        }
        trust.transparency = TransparencyRequest(logs: TransparencyLogs(logs))
        trust.extendedValidation = ExtendedValidationProgram(
            policies: [anchor.fingerprint: Set([OID("2.23.140.1.1")].compactMap(\.self))])
        trust.revocation = RevocationPolicy(
            .soft, lists: [try TestRevocationList(Self.root).view(), try TestRevocationList(Self.issuer).view()])
        return trust
    }

    @Test("Apple's keys name it, the organization, and transparency")
    func keys() throws {
        let result = try Self.trust().evaluate()
        #expect(result.isTrusted && result.extendedValidation == .proven && result.isExtendedValidation)
        let dictionary = result.resultDictionary
        #expect(dictionary["TrustExtendedValidation"] as? Bool == true)
        #expect(dictionary["TrustCertificateTransparency"] as? Bool == true)
        #expect(dictionary["Organization"] as? String == "Example GmbH")
    }

    @Test("A refused certificate has none of the keys, and none are there where it was not looked for")
    func absent() throws {
        let refused = try Self.trust(host: "other.example").evaluate()
        #expect(refused.extendedValidation == .notChecked && !refused.isExtendedValidation)
        var plain = try Self.trust()
        plain.extendedValidation = nil
        plain.transparency = nil
        #expect(plain.evaluate().extendedValidation == .notChecked)
        for result in [refused, plain.evaluate()] {
            for key in ["TrustExtendedValidation", "TrustCertificateTransparency", "Organization"] {
                #expect(result.resultDictionary[key] == nil, "\(key)")
            }
        }
    }

    @Test("The built-in data have policies of extended validation for roots that they have")
    func builtIn() {
        let data = AppleTrustData.builtIn
        let program = data.extendedValidation
        #expect(program.policies.count == data.extendedValidationPolicies.count)
        #expect(program.policies.keys.allSatisfy(data.program.roots.contains))
        #expect(program.policies.values.allSatisfy { $0.contains { $0.description == "2.23.140.1.1" } })
        #expect(
            zip(program.policies.values.map(\.count), data.extendedValidationPolicies.values.map(\.count)).allSatisfy {
                $0 > 0 && $1 > 0
            })
    }
}
