//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Which identity a server is shown")
struct TLSIdentityChoiceTests {
    @Test("An identity fits where its key and one of its authorities are taken", arguments: requests)
    func fitting(request: RequestCase) throws {
        let identity = try Self.identity(ClientFixture.good.get())
        #expect(identity.fits(try request.request()) == request.fits)
    }

    @Test("Of several the first that fits is shown, and a single one in any case")
    func choice() throws {
        let good = try Self.identity(ClientFixture.good.get())
        let stranger = try Self.identity(ATSFixture.rsa.get())
        var request = ClientCertificateRequest()
        #expect(TLSIdentity.choice(among: [], for: request) == nil)
        #expect(TLSIdentity.choice(among: [stranger, good], for: request) == stranger)
        request.signatureSchemes = [.init(rawValue: 0x0403)]
        #expect(TLSIdentity.choice(among: [stranger, good], for: request) == good)
        request.signatureSchemes = [.init(rawValue: 0x0807)]
        #expect(TLSIdentity.choice(among: [stranger, good], for: request) == nil)
        #expect(TLSIdentity.choice(among: [good], for: request) == good)
    }

    private static func identity(_ chain: [TestCertificate]) throws -> TLSIdentity {
        try TLSIdentity(pem: chain.map(\.pem).joined(), key: try chain[0].privateKey.pem)
    }
}

struct RequestCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fits: Bool
    var types: [UInt8] = []
    var schemes: [UInt16] = []
    var authorities: @Sendable () throws -> [[UInt8]] = { [] }
    var unkept = 0

    func request() throws -> ClientCertificateRequest {
        var request = ClientCertificateRequest()
        request.certificateTypes = self.types
        request.signatureSchemes = self.schemes.map { SignatureScheme(rawValue: $0) }
        request.authorities = try self.authorities()
        request.authorityCount = request.authorities.count + self.unkept
        return request
    }
}

private let stranger = DER.sequence(DER.set(DER.sequence(DER.oid("2.5.4.3"), DER.utf8("Stranger"))))
private let requests: [RequestCase] = [
    RequestCase(testDescription: "anything", fits: true),
    RequestCase(testDescription: "RSA alone, before TLS 1.3", fits: false, types: [1]),
    RequestCase(testDescription: "RSA or ECDSA, before TLS 1.3", fits: true, types: [1, 64]),
    RequestCase(testDescription: "signatures of RSA", fits: false, schemes: [0x0401, 0x0804]),
    RequestCase(testDescription: "signatures of ECDSA among others", fits: true, schemes: [0x0804, 0x0403]),
    RequestCase(testDescription: "signatures of Ed25519", fits: false, types: [64], schemes: [0x0807]),
    RequestCase(testDescription: "another authority", fits: false, authorities: { [stranger] }),
    RequestCase(testDescription: "no name", fits: false, authorities: { [[], [0x30], [0x04, 0x00]] }),
    RequestCase(testDescription: "more authorities than are kept", fits: true, authorities: { [stranger] }, unkept: 1),
    RequestCase(
        testDescription: "the authority of the intermediate", fits: true,
        authorities: { [stranger, try RequestCase.issuer(of: 1)] }),
    RequestCase(
        testDescription: "the intermediate", fits: true, authorities: { [try RequestCase.issuer(of: 0)] }),
]

extension RequestCase {
    /// The issuer's name of a certificate of the chain, written anew.
    fileprivate static func issuer(of index: Int) throws -> [UInt8] {
        let certificate = try ClientFixture.good.get()[index].trustCertificate
        let name = try #require(certificate.issuer.split(separator: "=").last)
        return DER.sequence(DER.set(DER.sequence(DER.oid("2.5.4.3"), DER.utf8(String(name)))))
    }
}
