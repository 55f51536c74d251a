//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

@Suite("What a revocation policy asks for, and where it looks")
struct RevocationPolicyTests {
    private static let serial = DER.number(4_711)
    private static let revoked = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))

    private func judge(
        list: [[UInt8]]?, response: [UInt8]?, _ change: (inout ValidationRequest) -> Void
    ) throws -> String {
        let leaf = try testRoot.leaf { $0.serialNumber = Self.serial }
        let lists = try list.map { [try TestRevocationList(testRoot, revoking: $0).view()] } ?? []
        var answer = TestOCSPResponse()
        answer.status = response ?? []
        let responses = response == nil ? [] : [try answer.view()]
        return judgment(leaf, anchors: .certificates(try testRoot.authority())) { request in
            request.revocation = RevocationPolicy(.soft, lists: lists, responses: responses)
            change(&request)
        }.summary
    }

    private static let good = DER.element(0x80, [])

    @Test("A way that was not chosen is not looked at")
    func methods() throws {
        #expect(try self.judge(list: [Self.serial], response: nil) { $0.revocation.methods = .ocsp } == "accepted")
        #expect(try self.judge(list: nil, response: Self.revoked) { $0.revocation.methods = .lists } == "accepted")
        #expect(
            try self.judge(list: [Self.serial], response: Self.revoked) { $0.revocation.methods = [] } == "accepted")
        #expect(
            try self.judge(list: [], response: Self.good) {
                $0.revocation.mode = .hard
                $0.revocation.methods = []
            } == "0:revocation-unknown")
    }

    /// A server staples the “good” from before its certificate was revoked as long as that is current.
    @Test("Neither way hides what the other says is revoked, whichever is preferred")
    func preference() throws {
        #expect(try self.judge(list: [Self.serial], response: Self.good) { _ in } == "0:revoked")
        #expect(try self.judge(list: [], response: Self.revoked) { $0.revocation.prefersLists = true } == "0:revoked")
        #expect(try self.judge(list: [], response: Self.revoked) { _ in } == "0:revoked")
        #expect(
            try self.judge(list: [Self.serial], response: Self.good) { $0.revocation.prefersLists = true }
                == "0:revoked")
        #expect(try self.judge(list: nil, response: Self.revoked) { $0.revocation.prefersLists = true } == "0:revoked")
        #expect(
            try self.judge(list: nil, response: Self.good) {
                $0.revocation.prefersLists = true
                $0.revocation.mode = .hard
            } == "accepted")
    }

    @Test("Several policies must all be content, each with its own ways and means")
    func several() throws {
        let summary = try self.judge(list: [], response: nil) { request in
            request.additionalRevocation = [request.revocation]
            request.additionalRevocation[0].mode = .hard
            request.additionalRevocation[0].methods = .ocsp
        }
        #expect(summary == "0:revocation-unknown")
        let revoked = try self.judge(list: [Self.serial], response: Self.good) { request in
            request.additionalRevocation = [request.revocation]
            request.additionalRevocation[0].methods = .lists
        }
        #expect(revoked == "0:revoked")
    }

    @Test("Where only the leaf's status must be known, the authorities' may be unknown, but not revoked")
    func leafOnly() throws {
        let leafList = try TestRevocationList(TestChain.second).view()
        let chain = try TestChain(second: { $0.serialNumber = Self.serial })
        #expect(chain.judge { $0.revocation = RevocationPolicy(.leaf, lists: [leafList]) }.summary == "accepted")
        #expect(chain.judge { $0.revocation = RevocationPolicy(.leaf) }.summary == "0:revocation-unknown")
        #expect(
            chain.judge { $0.revocation = RevocationPolicy(.hard, lists: [leafList]) }.summary
                == "1:revocation-unknown 2:revocation-unknown")
        let revoking = try TestRevocationList(TestChain.first, revoking: [Self.serial]).view()
        #expect(
            chain.judge { $0.revocation = RevocationPolicy(.leaf, lists: [leafList, revoking]) }.summary == "1:revoked")
    }

    @Test("A path that is refused for something else is refused for revocation too")
    func besideOthers() throws {
        let late: (inout ValidationRequest) -> Void = { $0.time = Timestamp(secondsSinceEpoch: 1_900_000_000) }
        #expect(try self.judge(list: [Self.serial], response: nil, late) == "0:expired 0:revoked")
        #expect(try self.judge(list: nil, response: Self.revoked, late) == "0:expired 0:revoked")
        #expect(try self.judge(list: nil, response: nil, late) == "0:expired")
    }

    @Test("What is known of each certificate can be asked for")
    func statuses() throws {
        let chain = try TestChain(second: { $0.serialNumber = Self.serial })
        let verdict = chain.judge()
        let validator = PathValidator(
            ValidationRequest(time: testTime), anchors: [TrustAnchorSet([TrustAnchor(chain.root)])])
        let lists = [
            try TestRevocationList(TestChain.second).view(),
            try TestRevocationList(TestChain.first, revoking: [Self.serial]).view(),
        ]
        let policy = RevocationPolicy(.soft, lists: lists)
        let date = Timestamp(secondsSinceEpoch: 1_779_235_200)
        #expect(
            validator.revocationStatuses(of: verdict, under: policy)
                == [.good, .revoked(.unspecified, date), .unknown(.noInformation)])
    }

    @Test("A certificate on an indirect list is refused although only another anchor vouches for the list")
    func otherAnchor() throws {
        let signer = CraftedAuthority("List issuer", .p256(7))
        let other = CraftedAuthority("Other root", .p256(21))
        let list = try TestRevocationList(signer) { list in
            list.set(.listScope(Point.indirect))
            list.entries = [.init(serial: Self.serial, extensions: [.entryIssuer(testRoot.name)])]
        }.view()
        let leaf = try testRoot.leaf {
            $0.serialNumber = Self.serial
            $0.set(.distributionPoints([Point.issuer(signer.name)]))
        }
        let supplied = [try other.authority(signer)]
        func judge(_ anchors: [TrustAnchor]) -> String {
            judgment(leaf, supplied, anchors: anchors) { $0.revocation = RevocationPolicy(.soft, lists: [list]) }
                .summary
        }
        #expect(try judge(.certificates(testRoot.authority(), other.authority())) == "0:revoked")
        #expect(try judge(.certificates(testRoot.authority())) == "accepted")
    }
}

@Suite("Who may clear a certificate")
struct OCSPStrengthTests {
    private func judge(
        _ profile: ValidationProfile, mode: RevocationPolicy.Mode = .hard, signer: TestKey,
        delegate: CraftedAuthority.Change? = nil, algorithm: TestAlgorithm? = nil,
        status: [UInt8] = DER.element(0x80, [])
    ) throws -> String {
        var response = TestOCSPResponse()
        (response.signer, response.algorithm, response.status) = (signer, algorithm, status)
        if let delegate {
            response.certificates = [
                try testRoot.leaf(signer) { certificate in
                    certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                    delegate(&certificate)
                }
            ]
        }
        let view = try response.view()
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        return judgment(leaf, anchors: .certificates(try testRoot.authority())) { request in
            request.profile = profile
            request.revocation = RevocationPolicy(mode, responses: [view])
        }.summary
    }

    @Test(
        "A delegate with a key the profile finds too small clears no certificate, and is believed when it says revoked")
    func weakDelegate() throws {
        let weak = TestKey.rsa1024
        #expect(try self.judge(.rfc5280, signer: weak, delegate: { _ in }) == "0:revocation-unknown")
        #expect(try self.judge(.apple, signer: weak, delegate: { _ in }) == "0:revocation-unknown")
        #expect(try self.judge(.legacy, signer: weak, delegate: { _ in }) == "accepted")
        let revoked = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))
        #expect(
            try self.judge(.rfc5280, mode: .soft, signer: weak, delegate: { _ in }, status: revoked) == "0:revoked")
    }

    @Test("A delegate certified over SHA-1 clears no certificate where SHA-1 may not sign certificates")
    func weakSignature() throws {
        let sha1: CraftedAuthority.Change = { $0.setAlgorithm(.ecdsaSHA1) }
        #expect(try self.judge(.rfc5280, signer: .p256(9), delegate: sha1) == "0:revocation-unknown")
        #expect(try self.judge(.legacy, signer: .p256(9), delegate: sha1) == "accepted")
        #expect(try self.judge(.rfc5280, signer: .p256(9), delegate: { _ in }) == "accepted")
    }

    @Test("Nor does a response signed over SHA-1")
    func weakResponse() throws {
        #expect(try self.judge(.rfc5280, signer: testRoot.key, algorithm: .ecdsaSHA1) == "0:revocation-unknown")
        #expect(try self.judge(.legacy, signer: testRoot.key, algorithm: .ecdsaSHA1) == "accepted")
    }
}
