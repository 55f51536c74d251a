//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

private let authority = CraftedAuthority("Issuing CA", .p256(2))

/// A leaf of an authority that was not sent.
private func incompleteTrust(
    _ urls: [String] = [TestURL.issuer], sent: [CertificateView] = []
) throws -> Trust {
    let leaf = try authority.leaf { $0.set(.access(issuers: urls)) }
    var trust = try Trust(
        certificates: ([leaf] + sent).map(Certificate.init), policy: .tlsServer(hostname: "www.example.com"),
        configuration: .only([Certificate(testRoot.authority())]))
    trust.verifyDate = Date(testTime)
    return trust
}

private let options = testOptions { $0.fetchesIssuers = true }

struct IssuerForm: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encode: @Sendable (CertificateView) -> [UInt8]
    init(_ name: String, _ encode: @escaping @Sendable (CertificateView) -> [UInt8]) {
        self.testDescription = name
        self.encode = encode
    }
}

private let forms = [
    IssuerForm("DER") { $0.bytes },
    IssuerForm("PEM") { Array(Certificate($0).pemRepresentation.utf8) },
    IssuerForm("PKCS#7") { certificate in
        DER.sequence(
            DER.oid("1.2.840.113549.1.7.2"),
            DER.element(
                0xA0,
                DER.sequence(
                    DER.integer(1), DER.set(), DER.sequence(DER.oid("1.2.840.113549.1.7.1")),
                    DER.element(0xA0, certificate.bytes), DER.set())))
    },
    IssuerForm("PKCS#7 in BER") { certificate in
        BER.indefinite(
            0x30, DER.oid("1.2.840.113549.1.7.2"),
            BER.indefinite(
                0xA0,
                BER.indefinite(
                    0x30, DER.integer(1), BER.indefinite(0x31),
                    BER.indefinite(0x30, DER.oid("1.2.840.113549.1.7.1")), BER.indefinite(0xA0, certificate.bytes),
                    BER.indefinite(0x31))))
    },
]

@Suite("Fetching issuers that were not sent")
struct IssuerFetchingTests {
    @Test("Nothing is fetched unless it is allowed, and needed")
    func notFetched() async throws {
        let fetcher = MemoryFetcher([TestURL.issuer: { _ in try testRoot.authority(authority).bytes }])
        #expect(try await incompleteTrust().evaluate(fetching: fetcher, testOptions()).summary == "unknown-issuer")
        let complete = try incompleteTrust(sent: [testRoot.authority(authority)])
        #expect(try await complete.evaluate(fetching: fetcher, options).summary == "trusted")
        var forbidden = try incompleteTrust()
        forbidden.policies.append(.revocation([.ocspMethod, .networkAccessDisabled]))
        #expect(try await forbidden.evaluate(fetching: fetcher, options).summary == "unknown-issuer")
        #expect(fetcher.requests.isEmpty)
    }

    @Test("The issuer is found in every form it is published in", arguments: forms)
    func found(form: IssuerForm) async throws {
        let fetcher = MemoryFetcher([TestURL.issuer: { _ in form.encode(try testRoot.authority(authority)) }])
        let result = try await incompleteTrust().evaluate(fetching: fetcher, options)
        #expect(result.summary == "trusted")
        #expect(result.log == "issuer:used")
        #expect(result.result.path.count == 3)
    }

    @Test(
        "The issuer is fetched where a certificate of its name and of another key was sent, with a way to a root or none"
    )
    func otherKeySent() async throws {
        let stranger = CraftedAuthority(name: authority.name, .p256(30))
        let fetcher = MemoryFetcher([TestURL.issuer: { _ in try testRoot.authority(authority).bytes }])
        for sent in try [[testRoot.authority(stranger)], [stranger.authority()]] {
            let result = try await incompleteTrust(sent: sent).evaluate(fetching: fetcher, options)
            #expect(result.summary == "trusted" && result.log == "issuer:used", "\(result.summary) \(result.log)")
        }
        // What nothing can be fetched for stays refused.
        let nothing = MemoryFetcher([:])
        let refused = try await incompleteTrust(sent: [testRoot.authority(stranger)]).evaluate(
            fetching: nothing, options)
        #expect(!refused.result.isTrusted)
    }

    @Test("What is no issuer helps no chain")
    func hostile() async throws {
        let stranger = CraftedAuthority(name: authority.name, .p256(30))
        let answers: [(MemoryFetcher.Answer, String)] = [
            ({ _ in Array("<html>".utf8) }, "issuer:unusable"), ({ _ in [] }, "issuer:unusable"),
            ({ _ in try testRoot.authority().bytes }, "issuer:unusable"),
            // The right name and another key: only the signature tells, and there is nowhere to go from it.
            ({ _ in try testRoot.authority(stranger).bytes }, "issuer:used"),
            ({ _ in try stranger.authority().bytes }, "issuer:used"),
            ({ _ in throw ResourceError(.forbiddenAddress, "local") }, "issuer:failed(forbidden-address)"),
        ]
        for (answer, log) in answers {
            let result = try await incompleteTrust().evaluate(
                fetching: MemoryFetcher([TestURL.issuer: answer]), options)
            #expect(result.result.isTrusted == false)
            #expect(result.log == log)
        }
    }

    @Test("A self-signed certificate is not trusted for having been fetched")
    func selfSigned() async throws {
        let fetcher = MemoryFetcher([TestURL.issuer: { _ in try authority.authority().bytes }])
        let result = try await incompleteTrust().evaluate(fetching: fetcher, options)
        #expect(result.summary == "untrusted-root")
    }

    @Test("The issuer's issuer is found, and the second place is asked where the first has nothing")
    func further() async throws {
        let middle = CraftedAuthority("Middle CA", .p256(3))
        let fetcher = MemoryFetcher([
            TestURL.otherIssuer: { _ in
                try middle.authority(authority) { $0.set(.access(issuers: ["http://middle.test/"])) }.bytes
            },
            "http://middle.test/": { _ in try testRoot.authority(middle).bytes },
        ])
        let trust = try incompleteTrust([TestURL.issuer, TestURL.otherIssuer])
        let result = try await trust.evaluate(fetching: fetcher, options)
        #expect(result.summary == "trusted")
        #expect(result.log == "issuer:failed(unreachable) issuer:used issuer:used")
    }

    @Test("An endless row of issuers ends with the fetches", .timeLimit(.minutes(20)))
    func endless() async throws {
        // Each is issued by the next, and says where that is.
        let fetcher = MemoryFetcher(
            Dictionary(
                uniqueKeysWithValues: (0..<40).map { number in
                    let url = number == 0 ? TestURL.issuer : "http://ca.test/\(number)"
                    let subject = number == 0 ? authority : CraftedAuthority("CA \(number)", .p256(40))
                    return (
                        url,
                        { _ in
                            try CraftedAuthority("CA \(number + 1)", .p256(40)).authority(subject) {
                                $0.set(.access(issuers: ["http://ca.test/\(number + 1)"]))
                            }.bytes
                        }
                    )
                }))
        let result = try await incompleteTrust().evaluate(fetching: fetcher, options)
        #expect(result.summary == "unknown-issuer")
        #expect(fetcher.requests.count == 16)
    }

    @Test("A fetched issuer's own status is looked for where revocation is checked")
    func withRevocation() async throws {
        let fetcher = MemoryFetcher([
            TestURL.issuer: { _ in try testRoot.authority(authority) { $0.set(.lists([TestURL.list])) }.bytes },
            TestURL.list: listAnswer(revoking: [DER.element(0x02, [0x2A, 0x01])]),
        ])
        var trust = try incompleteTrust()
        trust.revocation = RevocationPolicy(.soft)
        let result = try await trust.evaluate(fetching: fetcher, options)
        #expect(result.summary == "revoked")
        #expect(result.log == "issuer:used crl:used")
    }
}
