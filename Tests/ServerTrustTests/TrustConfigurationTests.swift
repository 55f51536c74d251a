//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("The configuration of an evaluation")
struct TrustConfigurationTests {
    @Test("The default is Apple's whole verdict")
    func apple() throws {
        let apple = TrustConfiguration.apple
        let data = AppleTrustData.builtIn
        #expect(apple.anchors == .store(try .apple(data)))
        #expect(apple.anchors.blockedRoots == data.blockedRoots && !data.blockedRoots.fingerprints.isEmpty)
        #expect(apple.transparency == data.transparency(at: Date()))
        #expect(apple.extendedValidation == data.extendedValidation)
        #expect(apple.profile == .apple && apple.publicSuffixes != nil && apple.fetching == nil)
        let root = try #require(data.serverRoots.first)
        #expect(try Trust(certificates: [root], policy: .basicX509).configuration == apple)
        #expect(try Trust(certificates: [root], policy: .basicX509).evaluate().anchorClass == .system)
    }

    @Test("Other anchors have the same rules")
    func rules() throws {
        let root = try TestAuthority().root.trustCertificate
        let (apple, own) = (TrustConfiguration.apple, TrustConfiguration.only([root]))
        #expect(own.anchors == .only([root]))
        #expect(own.transparency == apple.transparency && own.extendedValidation == apple.extendedValidation)
        #expect(own.anchors.blockedRoots == apple.anchors.blockedRoots)
        #expect(apple.adding(root).anchors.certificates == [root] && apple.adding(root) != apple)
    }

    @Test("A chain in PEM is judged in one line, and a text without a certificate is an error")
    func pem() throws {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate())
        let leaf = try authority.issue(.leaf(dnsNames: ["api.example.com"]), by: intermediate)
        let text = "Certificate chain\n" + leaf.pem + "\n" + intermediate.pem
        let own = TrustConfiguration.only([try authority.root.trustCertificate])
        #expect(try Trust(pem: text, host: "api.example.com", configuration: own).evaluate().isTrusted)
        #expect(try !Trust(pem: text, host: "api.example.com").evaluate().isTrusted)
        #expect(try !Trust(pem: text, host: "www.example.com", configuration: own).evaluate().isTrusted)
        #expect(throws: CertificateError.self) { try Trust(pem: "", host: "api.example.com") }
        #expect(throws: CertificateError.self) {
            try Trust(pem: leaf.pem.replacingOccurrences(of: "MII", with: "AAA"), host: "api.example.com")
        }
    }

    @Test("A configuration is equal to one that judges alike, and to no other", arguments: 0..<12)
    func equality(change: Int) throws {
        let root = try TestAuthority().root.trustCertificate
        let configuration = TrustConfiguration.only([root])
        var other = configuration
        switch change {
        case 0: other.anchors = .none
        case 1: other.anchorClasses = [.system]
        case 2: other.verifyDate = .distantPast
        case 3: other.profile = .rfc5280
        case 4: other.publicSuffixes = nil
        case 5: other.certificatePolicies.requiresExplicitPolicy = true
        case 6: other.maximumIntermediates = 1
        case 7: other.revocation.mode = .hard
        case 8: other.transparency = nil
        case 9: other.extendedValidation = nil
        case 10: other.budget.signatures = 1
        default: other.fetching = .init(fetcher: MemoryFetcher([:]), options: FetchOptions())
        }
        #expect(other != configuration)
        #expect(Set([configuration, other, configuration]).count == 2)
        var remembering = configuration
        remembering.signatureCache = SignatureCache()
        #expect(remembering == configuration)
    }

    @Test("A question's properties are those of its configuration")
    func forwarding() throws {
        let root = try TestAuthority().root.trustCertificate
        var trust = try Trust(certificates: [root], policy: .basicX509, configuration: .only([]))
        trust.anchors.add(root)
        trust.verifyDate = .distantPast
        trust.profile = .rfc5280
        #expect(trust.configuration.anchors == .only([root]))
        #expect(trust.configuration.verifyDate == .distantPast && trust.configuration.profile == .rfc5280)
    }
}
