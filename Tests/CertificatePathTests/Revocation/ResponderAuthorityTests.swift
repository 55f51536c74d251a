//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import TestSupport
import Testing

/// Someone who signs an OCSP response about the leaf.
struct ResponseSigner: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let worth: @Sendable (ValidationProfile) -> Worth
    let key: TestKey
    let certificates: @Sendable () throws -> [CertificateView]
    var leaf: @Sendable (inout CraftedCertificate) -> Void = { _ in }
    var lists: @Sendable () throws -> [CertificateList] = { [] }

    init(
        _ name: String, _ worth: Worth, _ key: TestKey = .p256(9),
        certificates: @escaping @Sendable () throws -> [CertificateView] = { [] }
    ) {
        self.init(name, in: { _ in worth }, key, certificates: certificates)
    }

    init(
        _ name: String, in worth: @escaping @Sendable (ValidationProfile) -> Worth, _ key: TestKey = .p256(9),
        certificates: @escaping @Sendable () throws -> [CertificateView] = { [] }
    ) {
        self.testDescription = name
        self.worth = worth
        self.key = key
        self.certificates = certificates
    }

    func with(
        leaf: @escaping @Sendable (inout CraftedCertificate) -> Void = { _ in },
        lists: @escaping @Sendable () throws -> [CertificateList] = { [] }
    ) -> ResponseSigner {
        var copy = self
        (copy.leaf, copy.lists) = (leaf, lists)
        return copy
    }
}

@Suite("Who may answer by OCSP that a certificate is or is not revoked")
struct ResponderAuthorityTests {
    private static let responding = "1.3.6.1.5.5.7.3.9"
    private static let serverAuth = "1.3.6.1.5.5.7.3.1"
    private static let noCheck = TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0])
    private static let delegateSerial = DER.number(90)

    /// The issuer, which may issue for example.com only.
    private static let issuer = CraftedAuthority("Issuer", .p256(2))
    private static let sibling = CraftedAuthority("Sibling", .p256(5))

    private static func delegate(
        of authority: CraftedAuthority = issuer, _ key: TestKey = .p256(9), _ change: CraftedAuthority.Change = { _ in }
    ) throws -> [CertificateView] {
        [
            try authority.leaf(key) { certificate in
                certificate.serialNumber = self.delegateSerial
                certificate.set(.extendedKeyUsage(self.responding))
                change(&certificate)
            }
        ]
    }

    private static func exceptWeb(_ profile: ValidationProfile) -> Worth {
        profile.name == "webpki" ? .revokes : .clears
    }
    private static func exceptAppleAndWeb(_ profile: ValidationProfile) -> Worth {
        profile.name == "apple" ? .revokes : self.exceptWeb(profile)
    }
    private static func onlyLegacy(_ profile: ValidationProfile) -> Worth {
        profile.name == "legacy" ? .clears : .revokes
    }

    static let signers: [ResponseSigner] = [
        ResponseSigner("the issuer", .clears, issuer.key),
        ResponseSigner("a delegate") { try delegate() },
        ResponseSigner("a delegate among others' certificates") {
            let others = try (UInt16(40)..<60).flatMap { try delegate(of: sibling, .p256($0)) }
            return try others + delegate()
        },
        ResponseSigner("a delegate without key usage") { try delegate { $0.remove("2.5.29.15") } },
        ResponseSigner("a delegate that asks not to be checked") {
            try delegate { certificate in
                certificate.set(noCheck)
                certificate.set(.distributionPoints([Point.uri("http://crl.example/")]))
            }
        },
        ResponseSigner("a delegate whose status must be known and is not", .revokes) {
            try delegate { $0.set(.distributionPoints([Point.uri("http://crl.example/")])) }
        },
        ResponseSigner("a delegate with nonRepudiation only", in: exceptAppleAndWeb) {
            try delegate { $0.set(.keyUsage(1)) }
        },
        ResponseSigner("a delegate whose key usage signs nothing", .revokes) { try delegate { $0.set(.keyUsage(2)) } },
        ResponseSigner("a delegate that is an authority", in: exceptAppleAndWeb) {
            try delegate { certificate in
                certificate.set(.basicConstraints(true))
                certificate.set(.keyUsage(0, 5))
                certificate.set(.subjectKeyIdentifier(TestKey.p256(9).identifier))
            }
        },
        ResponseSigner("a delegate that is a server too", in: exceptWeb) {
            try delegate { $0.set(.extendedKeyUsage(serverAuth, responding)) }
        },
        ResponseSigner("a delegate that has expired", .revokes) {
            try delegate { $0.notAfter = DER.utcTime("260531120000Z") }
        },
        ResponseSigner("a delegate that was not valid yet when it answered", .revokes) {
            try delegate { $0.notBefore = DER.utcTime("260531120000Z") }
        },
        ResponseSigner("a delegate certified over SHA-1", in: onlyLegacy) {
            try delegate { $0.setAlgorithm(.ecdsaSHA1) }
        },
        ResponseSigner("a delegate with a small key", in: onlyLegacy, .rsa1024) {
            try delegate(.rsa1024)
        },
        ResponseSigner("a delegate outside the issuer's name constraints", .revokes) {
            try delegate { $0.set(.alternativeNames([.dns("ocsp.attacker.org")])) }
        },
        ResponseSigner("a delegate with an unknown critical extension", .revokes) {
            try delegate { $0.set(TestExtension("1.2.3", critical: true, [5, 0])) }
        },
        ResponseSigner("a certificate without OCSPSigning", .nothing) {
            try delegate { $0.set(.extendedKeyUsage(serverAuth)) }
        },
        ResponseSigner("a certificate for any usage", .nothing) {
            try delegate { $0.set(.extendedKeyUsage("2.5.29.37.0")) }
        },
        ResponseSigner("a certificate without usages", .nothing) { try delegate { $0.remove("2.5.29.37") } },
        ResponseSigner("a delegate of the root", .nothing) { try delegate(of: ListPKI.root) },
        ResponseSigner("a delegate of a sibling", .nothing) { try delegate(of: sibling) },
        ResponseSigner("a delegate of a stranger with the issuer's name", .nothing) {
            try delegate(of: CraftedAuthority(name: issuer.name, .p256(20)))
        },
        ResponseSigner("the root", .nothing, ListPKI.root.key),
        ResponseSigner("no one known", .nothing),
        ResponseSigner("the leaf, which may answer", .revokes, .p256(100), certificates: { try delegate(.p256(100)) })
            .with(leaf: { $0.set(.extendedKeyUsage(serverAuth, responding)) }),
        ResponseSigner("a delegate that is revoked", .revokes) { try delegate() }.with(lists: {
            [
                try ListPKI.list(by: issuer.key, revoking: [delegateSerial]) {
                    $0.set(.listScope(Point.uri("http://delegates.example/")))
                }
            ]
        }),
    ]

    @Test("A response may come without the certificate of its signer, which is supplied besides")
    func suppliedDelegate() throws {
        var response = TestOCSPResponse()
        (response.signer, response.status) = (.p256(9), Self.revoked)
        let view = try response.view()
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        for (supplied, expected) in [(try Self.delegate(of: testRoot), "0:revoked"), ([], "accepted")] {
            let verdict = judgment(leaf, supplied, anchors: .certificates(try testRoot.authority())) {
                $0.revocation = RevocationPolicy(.soft, responses: [view])
            }
            #expect(verdict.summary == expected)
        }
    }

    @Test(
        "Delegates that vouch for each other clear nothing where each one's status must be known",
        arguments: [
            ([], false), (["1 by 2"], false), (["1 by 2", "2 by 1"], false), (["1 by 2", "2 by 3", "3 by 1"], false),
            (["1 by 1"], false), (["1 by 2", "2 by 3", "3 by 2"], false), (["1 by root"], true),
            (["1 by 2", "2 by root"], true),
        ] as [([String], Bool)])
    func circle(vouchers: [String], isKnown: Bool) throws {
        let delegates = try (1...3).map { number in
            try testRoot.leaf(.p256(UInt16(90 + number))) { certificate in
                certificate.serialNumber = DER.number(90 + number)
                certificate.set(.extendedKeyUsage(Self.responding))
                certificate.set(.distributionPoints([Point.uri("http://crl.example/")]))
            }
        }
        func good(_ serial: Int, by signer: String) throws -> OCSPResponse {
            var response = TestOCSPResponse()
            response.serial = DER.number(serial)
            if let number = Int(signer) {
                (response.signer, response.certificates) = (.p256(UInt16(90 + number)), [delegates[number - 1]])
            }
            return try response.view()
        }
        let responses = try vouchers.map { voucher in
            let words = voucher.split(separator: " ").map(String.init)
            return try good(90 + (try #require(Int(words[0]))), by: words[2])
        }
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        let all = try [good(4_711, by: "1")] + responses
        for (mode, expected) in [
            (RevocationPolicy.Mode.hard, isKnown ? "accepted" : "0:revocation-unknown"), (.soft, "accepted"),
        ] {
            for profile in ValidationProfile.standard {
                let verdict = judgment(leaf, anchors: .certificates(try testRoot.authority())) { request in
                    request.profile = profile
                    request.revocation = RevocationPolicy(mode, responses: all)
                }
                #expect(verdict.summary == expected, "\(profile.name)")
            }
        }
    }

    private func judge(
        _ signer: ResponseSigner, _ mode: RevocationPolicy.Mode, _ profile: ValidationProfile, _ status: [UInt8],
        besides other: OCSPResponse? = nil
    ) throws -> String {
        var response = TestOCSPResponse()
        (response.issuerName, response.issuerKey, response.status) = (Self.issuer.name, Self.issuer.key, status)
        (response.signer, response.certificates) = (signer.key, try signer.certificates())
        let leaf = try Self.issuer.leaf { certificate in
            certificate.serialNumber = DER.number(4_711)
            signer.leaf(&certificate)
        }
        let chain = [
            try ListPKI.root.authority(Self.issuer) {
                $0.set(.nameConstraints(permitted: [.dns("example.com")]))
            }
        ]
        let responses = [try response.view()] + (other.map { [$0] } ?? [])
        let lists = try [ListPKI.list(by: ListPKI.root.key, of: ListPKI.root.name)] + signer.lists()
        let anchors: [TrustAnchor] = .certificates(try ListPKI.root.authority())
        var summaries: Set<String> = []
        for responses in [responses, responses.reversed()] {
            let verdict = judgment(leaf, chain, anchors: anchors) { request in
                request.profile = profile
                request.revocation = RevocationPolicy(mode, lists: lists, responses: responses)
            }
            summaries.insert(verdict.summary)
        }
        #expect(summaries.count == 1, "the order of the evidence matters")
        return summaries.sorted().joined(separator: " or ")
    }

    @Test("“Good” counts from who may say it", arguments: signers, ValidationProfile.standard)
    func good(signer: ResponseSigner, profile: ValidationProfile) throws {
        let summary = try self.judge(signer, .hard, profile, DER.element(0x80, []))
        #expect((summary == "accepted") == (signer.worth(profile) == .clears), "\(summary)")
        #expect(try self.judge(signer, .soft, profile, DER.element(0x80, [])) == "accepted")
    }

    private static let revoked = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))

    @Test("“Revoked” counts from whom the issuer certified to answer", arguments: signers, ValidationProfile.standard)
    func revoked(signer: ResponseSigner, profile: ValidationProfile) throws {
        for mode in [RevocationPolicy.Mode.soft, .leaf, .hard] {
            let summary = try self.judge(signer, mode, profile, Self.revoked)
            #expect(summary.contains("0:revoked") == (signer.worth(profile) != .nothing), "\(mode): \(summary)")
        }
    }

    @Test("No answer hides that the issuer said revoked", arguments: signers, ValidationProfile.standard)
    func hiding(signer: ResponseSigner, profile: ValidationProfile) throws {
        var genuine = TestOCSPResponse()
        (genuine.issuerName, genuine.issuerKey, genuine.signer) = (Self.issuer.name, Self.issuer.key, Self.issuer.key)
        (genuine.status, genuine.thisUpdate, genuine.nextUpdate) = (Self.revoked, "20260501000000Z", "20260502000000Z")
        let view = try genuine.view()
        for mode in [RevocationPolicy.Mode.soft, .hard] {
            let summary = try self.judge(signer, mode, profile, DER.element(0x80, []), besides: view)
            #expect(summary == "0:revoked")
        }
    }
}

extension ResponseSigner {
    /// One that clears.
    init(_ name: String, certificates: @escaping @Sendable () throws -> [CertificateView]) {
        self.init(name, .clears, certificates: certificates)
    }
}
