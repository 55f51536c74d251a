//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

@Suite("Certificates that promise stapled responses (RFC 7633)")
struct MustStapleTests {
    enum Origin: CaseIterable { case stapled, supplied, requested }

    private func judge(
        _ features: [UInt8] = [5], from origin: Origin? = .stapled, mode: RevocationPolicy.Mode = .off,
        enforced: Bool = true, _ change: (inout TestOCSPResponse) throws -> Void = { _ in }
    ) throws -> String {
        var response = TestOCSPResponse()
        try change(&response)
        let view = try response.view()
        let leaf = try testRoot.leaf { certificate in
            certificate.serialNumber = DER.number(4_711)
            if !features.isEmpty { certificate.set(.tlsFeature(features)) }
        }
        let root = try testRoot.authority()
        return judgment(leaf, anchors: .certificates(root)) { request in
            request.revocation = RevocationPolicy(mode)
            request.revocation.enforcesTLSFeature = enforced
            switch origin {
            case .stapled: request.revocation.stapledResponses = [view]
            case .supplied: request.revocation.responses = [view]
            case .requested:
                request.revocation.requestedResponses = [
                    RequestedOCSPResponse(view, to: OCSPRequest(for: leaf, issuer: root))
                ]
            case nil: break
            }
        }.summary
    }

    @Test(
        "Without a stapled response such a certificate is refused",
        arguments: [[5], [17], [5, 17], [16, 5]] as [[UInt8]])
    func missing(features: [UInt8]) throws {
        #expect(try self.judge(features, from: nil) == "0:must-staple")
    }

    @Test("A response from elsewhere does not keep the promise", arguments: [Origin.supplied, .requested])
    func elsewhere(origin: Origin) throws {
        #expect(try self.judge(from: origin) == "0:must-staple")
        #expect(try self.judge(from: origin, mode: .hard) == "0:must-staple")
    }

    @Test("A stapled response that proves nothing does not keep it")
    func unusable() throws {
        #expect(try self.judge { $0.nextUpdate = "20260531000000Z" } == "0:must-staple")
        #expect(try self.judge { $0.signer = .p256(9) } == "0:must-staple")
        #expect(try self.judge { $0.serial = DER.number(1) } == "0:must-staple")
        #expect(try self.judge { $0.status = DER.element(0x82, []) } == "0:must-staple")
    }

    @Test("A stapled response that says revoked is said as such")
    func revoked() throws {
        let revoked = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))
        #expect(try self.judge { $0.status = revoked } == "0:revoked")
    }

    @Test("A valid and current stapled response that says good keeps it", arguments: RevocationPolicy.Mode.allCases)
    func kept(mode: RevocationPolicy.Mode) throws {
        #expect(try self.judge(mode: mode) == "accepted")
    }

    @Test("Nothing is asked of certificates that promise nothing, or where it is not enforced")
    func notAsked() throws {
        #expect(try self.judge([], from: nil) == "accepted")
        #expect(try self.judge([16], from: nil) == "accepted")
        #expect(try self.judge(from: nil, enforced: false) == "accepted")
    }

    @Test(
        "Below an authority that demands features, every certificate has to promise them",
        arguments: [
            ([5], [], "0:tls-feature"), ([5, 16], [16], "0:tls-feature"), ([16], [16, 23], "accepted"),
            ([16], [16], "accepted"),
        ] as [([UInt8], [UInt8], String)])
    func authority(demanded: [UInt8], promised: [UInt8], summary: String) throws {
        let chain = try TestChain(
            second: { $0.set(.tlsFeature(demanded)) },
            leaf: { if !promised.isEmpty { $0.set(.tlsFeature(promised)) } })
        #expect(chain.judge { $0.revocation.enforcesTLSFeature = true }.summary == summary)
        #expect(chain.judge().summary == "accepted")
    }

    @Test("The anchor's certificate may demand features too")
    func anchor() throws {
        let chain = try TestChain(root: { $0.set(.tlsFeature([16])) })
        #expect(chain.judge { $0.revocation.enforcesTLSFeature = true }.summary == "2:tls-feature")
    }
}
