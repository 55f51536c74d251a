//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Usages of a path")
struct UsageTests {
    static let server = "1.3.6.1.5.5.7.3.1"
    static let client = "1.3.6.1.5.5.7.3.2"
    static let code = "1.3.6.1.5.5.7.3.3"
    static let any = "2.5.29.37.0"
    static let microsoft = "1.3.6.1.4.1.311.10.3.3"
    static let netscape = "2.16.840.1.113730.4.1"

    @Test(
        "Extended key usages must allow the purpose, on the leaf and on every intermediate",
        arguments: [
            (Self.server, "server"), (Self.client, "client"), (Self.any, "server client"),
            (Self.code, ""), (Self.microsoft, ""), (Self.netscape, ""), ("1.2.3", ""),
        ])
    func extendedKeyUsage(usage: String, purposes: String) throws {
        for purpose in PurposeRequirement.Purpose.allCases {
            let isAllowed = purpose == .any || purposes.split(separator: " ").contains { $0 == purpose.rawValue }
            let item = TestExtension.extendedKeyUsage(usage)
            for (index, chain) in [
                try TestChain(leaf: { $0.set(item) }),
                try TestChain(second: { $0.set(item) }, leaf: { $0.remove("2.5.29.37") }),
                try TestChain(first: { $0.set(item) }, leaf: { $0.remove("2.5.29.37") }),
            ].enumerated() {
                let summary = chain.judge { $0.purposes = [PurposeRequirement(purpose)] }.summary
                #expect(summary == (isAllowed ? "accepted" : "\(index):eku"))
            }
            // The anchor is not asked.
            let root = try TestChain(root: { $0.set(item) }, leaf: { $0.remove("2.5.29.37") })
            #expect(root.judge { $0.purposes = [PurposeRequirement(purpose)] }.summary == "accepted")
        }
    }

    @Test("Server-gated crypto means serverAuth to Apple's rules and no others")
    func serverGatedCrypto() throws {
        for usage in [Self.microsoft, Self.netscape] {
            let chain = try TestChain(second: { $0.set(.extendedKeyUsage(usage)) })
            #expect(chain.judge { $0.profile = .apple }.summary == "accepted")
            #expect(chain.judge().summary == "1:eku")
            #expect(
                chain.judge { ($0.profile, $0.purposes) = (.apple, [PurposeRequirement(.client)]) }.has(
                    .extendedKeyUsage(
                        required: [try #require(OID(Self.client))], present: [try #require(OID(usage))]),
                    at: 1))
        }
    }

    @Test("Usages a caller asks for besides must all be there, or any be")
    func requiredUsages() throws {
        func summary(_ present: [String], _ required: [String], _ purpose: PurposeRequirement.Purpose = .any) throws
            -> String
        {
            let chain = try TestChain(leaf: { $0.set(TestExtension("2.5.29.37", DER.list(present.map(DER.oid)))) })
            return chain.judge {
                $0.purposes = [PurposeRequirement(purpose)]
                $0.purposes[0].extendedKeyUsages = required.compactMap { OID($0) }
            }.summary
        }
        #expect(try summary([Self.code], [Self.code]) == "accepted")
        #expect(try summary([Self.server], [Self.code]) == "0:eku")
        #expect(try summary([Self.code], [Self.code, "1.2.3"]) == "0:eku")
        #expect(try summary([Self.any], [Self.code, "1.2.3"]) == "accepted")
        #expect(try summary([Self.server], [Self.server], .server) == "accepted")
        #expect(try summary([Self.server], [Self.server, Self.client], .server) == "0:eku")
    }

    @Test("Two purposes at once are both asked for")
    func purposes() throws {
        let both = try TestChain(leaf: { $0.set(.extendedKeyUsage(Self.server, Self.client)) })
        let request: (inout ValidationRequest) -> Void = {
            $0.purposes = [PurposeRequirement(.server), PurposeRequirement(.client)]
        }
        #expect(both.judge(request).summary == "accepted")
        #expect(try TestChain().judge(request).summary == "0:eku")
        #expect(try TestChain(leaf: { $0.set(.extendedKeyUsage(Self.client)) }).judge(request).summary == "0:eku")
    }

    @Test("Key usages a caller asks for must be there when the extension is")
    func keyUsage() throws {
        func summary(_ chain: TestChain, _ usage: KeyUsage) -> String {
            chain.judge { $0.purposes[0].keyUsage = usage }.summary
        }
        let chain = try TestChain()
        #expect(summary(chain, .digitalSignature) == "accepted")
        #expect(summary(chain, [.digitalSignature, .keyEncipherment]) == "0:key-usage")
        #expect(chain.judge { $0.purposes[0].keyUsage = .keyAgreement }.has(.keyUsage(missing: .keyAgreement)))
        #expect(try summary(TestChain(leaf: { $0.remove("2.5.29.15") }), .keyAgreement) == "accepted")
    }

    @Test("A host name must match, every one that is asked for, and text that is no host matches nothing")
    func identities() throws {
        let chain = try TestChain(leaf: {
            $0.set(.alternativeNames([.dns("www.example.com"), .dns("a.example"), .ip([192, 0, 2, 1])]))
        })
        func summary(_ hosts: String...) -> String {
            chain.judge { $0.purposes[0].identities = hosts.map(IdentityRequirement.init(host:)) }.summary
        }
        #expect(summary() == "accepted")
        #expect(summary("www.example.com") == "accepted")
        #expect(summary("www.example.com", "a.example", "192.0.2.1") == "accepted")
        #expect(summary("www.example.com", "b.example") == "0:name-mismatch")
        #expect(summary("192.0.2.2") == "0:name-mismatch")
        for host in ["", "a b", "https://www.example.com", "www.example.com:443", "-a.example", "fe80::1%eth0"] {
            #expect(summary(host) == "0:name-mismatch")
        }
        // The common name is never looked at.
        #expect(try TestChain(leaf: { $0.remove("2.5.29.17") }).judge().summary == "0:name-mismatch")
    }

    @Test("Wildcards stop at public suffixes when there is a list")
    func publicSuffixes() throws {
        let chain = try TestChain(leaf: { $0.set(.alternativeNames([.dns("*.github.io")])) })
        let request: (inout ValidationRequest) -> Void = {
            $0.purposes[0].identities = [IdentityRequirement(host: "user.github.io")]
        }
        #expect(chain.judge(request).summary == "accepted")
        let list = PublicSuffixList(parsing: Array("io\ngithub.io\n".utf8))
        #expect(
            chain.judge {
                request(&$0)
                $0.publicSuffixes = list
            }.summary == "0:name-mismatch")
    }
}
