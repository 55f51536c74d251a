//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import TestSupport
import Testing

@Suite("Questions to OCSP responders (RFC 6960 §4.1)")
struct OCSPRequestTests {
    private static let nonce = (0..<32).map { UInt8($0) }

    private func request(
        _ digest: OCSPRequest.Digest = .sha1, nonce: [UInt8]? = nil
    ) throws -> OCSPRequest {
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        return OCSPRequest(for: leaf, issuer: try testRoot.authority(), digest: digest, nonce: nonce)
    }

    /// What RFC 6960 §4.1.1 prescribes, written down a second time.
    private func expected(_ algorithm: String, _ hash: ([UInt8]) -> [UInt8], extensions: [UInt8] = []) throws -> [UInt8]
    {
        let key = try testRoot.authority().publicKeyBytes
        let identifier = DER.sequence(
            DER.sequence(DER.oid(algorithm), [5, 0]), DER.octetString(hash(testRoot.name)),
            DER.octetString(hash(key)), DER.number(4_711))
        return DER.sequence(DER.sequence(DER.sequence(DER.sequence(identifier)), extensions))
    }

    @Test("A question names the issuer by SHA-1, which every responder understands")
    func sha1() throws {
        let expected = try self.expected("1.3.14.3.2.26") { Array(Insecure.SHA1.hash(data: $0)) }
        #expect(try self.request().bytes == expected)
        #expect(try self.request().nonce == nil)
    }

    @Test("Or by SHA-256, where the caller knows that the responder does")
    func sha256() throws {
        let expected = try self.expected("2.16.840.1.101.3.4.2.1") { Array(SHA256.hash(data: $0)) }
        #expect(try self.request(.sha256).bytes == expected)
    }

    @Test("A nonce is an OCTET STRING inside the extension's (RFC 9654 §2.1)")
    func nonce() throws {
        let item = TestExtension.nonce(DER.octetString(Self.nonce)).encoded
        let expected = try self.expected(
            "1.3.14.3.2.26", { Array(Insecure.SHA1.hash(data: $0)) }, extensions: DER.element(0xA2, DER.list([item])))
        let request = try self.request(nonce: Self.nonce)
        #expect(request.bytes == expected)
        #expect(request.nonce == Self.nonce)
        #expect(OCSPRequest.recommendedNonceSize == 32)
    }

    @Test("A nonce of a size no responder may take is left out", arguments: [0, 129])
    func unusableNonce(count: Int) throws {
        let request = try self.request(nonce: [UInt8](repeating: 7, count: count))
        #expect(request.nonce == nil)
        #expect(try request == self.request())
    }
}

@Suite("Nonces (RFC 9654)")
struct OCSPNonceTests {
    private static let nonce = [UInt8](repeating: 0xA5, count: 32)

    private func judge(
        required: Bool = false, asked: [UInt8]? = Self.nonce, stapled: Bool = false,
        mode: RevocationPolicy.Mode = .hard, _ change: (inout TestOCSPResponse) -> Void
    ) throws -> String {
        var response = TestOCSPResponse()
        change(&response)
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        let root = try testRoot.authority()
        let request = OCSPRequest(for: leaf, issuer: root, nonce: asked)
        let view = try response.view()
        return judgment(leaf, anchors: .certificates(root)) {
            $0.revocation = RevocationPolicy(mode, stapledResponses: stapled ? [view] : [])
            if !stapled { $0.revocation.requestedResponses = [RequestedOCSPResponse(view, to: request)] }
            $0.revocation.requiresNonce = required
        }.summary
    }

    @Test("A response with another nonce than asked for clears no certificate", arguments: [1, 31, 32, 128])
    func replayed(count: Int) throws {
        let other = [UInt8](repeating: 1, count: count)
        #expect(try self.judge { $0.responseExtensions = [.nonce(DER.octetString(other))] } == "0:revocation-unknown")
    }

    @Test(
        "A malformed nonce clears no certificate",
        arguments: [
            [UInt8](repeating: 7, count: 32), DER.octetString([]), DER.octetString([UInt8](repeating: 7, count: 129)),
            DER.octetString(Self.nonce) + [0], [],
        ])
    func malformed(value: [UInt8]) throws {
        #expect(try self.judge { $0.responseExtensions = [.nonce(value)] } == "0:revocation-unknown")
    }

    @Test("Two nonces are none")
    func twice() throws {
        let item = TestExtension.nonce(DER.octetString(Self.nonce))
        #expect(try self.judge { $0.responseExtensions = [item, item] } == "0:revocation-unknown")
    }

    @Test("The same nonce clears, critical or not", arguments: [false, true])
    func repeated(isCritical: Bool) throws {
        let item = TestExtension.nonce(DER.octetString(Self.nonce), critical: isCritical)
        #expect(try self.judge { $0.responseExtensions = [item] } == "accepted")
        #expect(try self.judge(required: true) { $0.responseExtensions = [item] } == "accepted")
    }

    @Test("A response without a nonce clears unless one is required")
    func absent() throws {
        #expect(try self.judge { _ in } == "accepted")
        #expect(try self.judge(required: true) { _ in } == "0:revocation-unknown")
        #expect(try self.judge(required: true, asked: nil) { _ in } == "0:revocation-unknown")
        #expect(try self.judge(required: true, stapled: true) { _ in } == "0:revocation-unknown")
    }

    @Test("“Revoked” is believed whatever the nonce is")
    func revoked() throws {
        let judgment = try self.judge(required: true, mode: .soft) { response in
            response.status = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))
            response.responseExtensions = [.nonce(DER.octetString([1]))]
        }
        #expect(judgment == "0:revoked")
    }
}
