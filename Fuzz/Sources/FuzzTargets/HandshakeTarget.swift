//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TLSProbe
import TLSWire

/// Handshakes that a prober reads: octets as they come, or messages that are encrypted for it as an honest server would.
///
/// An input is an octet for what is done to the chunks, one for how they are cut, and the chunks. Each of those that are
/// encrypted is the content of a record, behind the type that it has within.
enum HandshakeTarget {
    static let headerCount = 2

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: Self.headerCount)
        let client = Client()
        let octets = Self.octets(input, client)
        let whole = Outcome(of: [octets], client.reader)
        for seed in [0, input.header[1]] {
            let cut = Outcome(of: ProbeTarget.pieces(of: octets, seed), client.reader)
            findings.expect(cut == whole, "cut: \(cut), whole: \(whole)")
        }
        Self.check(whole, octets.count, &findings)
        // Without keys, or without a signature, there is no proof.
        if input.header[0] & 3 < 2 { findings.expect(!whole.result.isKeyProven, "a key is proven that never signed") }
    }

    private static func octets(_ input: FuzzInput, _ client: Client) -> [UInt8] {
        let mode = input.header[0] & 3
        guard mode > 0, let server = NaiveServer(client.hello) else { return Array(input.chunks.joined()) }
        return server.octets(input.chunks, endsHonestly: mode > 1, splits: mode > 2)
    }

    private static func check(_ outcome: Outcome, _ count: Int, _ findings: inout Findings) {
        let result = outcome.result
        findings.expect(outcome.error == nil || !result.isKeyProven, "an error and a proof")
        findings.expect((outcome.error == nil) == (result.failure == nil), "either an error or a failure")
        findings.expect(!result.isKeyProven || outcome.isFinished, "a proof before the end")
        findings.expect(!result.isKeyProven || !result.certificates.isEmpty, "a proof without a certificate")
        findings.expect(result.version == nil || !result.certificates.isEmpty, "a version without a certificate")
        findings.expect(result.certificates.reduce(0) { $0 + $1.count } <= count, "certificates of more than came")
        findings.expect(result.certificates.count <= 100, "too many certificates")
        if let request = result.certificateRequest {
            findings.expect(request.authorities.count == min(20, request.authorityCount), "other authorities")
        }
        let shown =
            (result.applicationProtocol ?? "") + (outcome.error?.message ?? "").filter { $0 != "“" && $0 != "”" }
        findings.expect(shown.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "control characters are shown")
        findings.expect(outcome.answers <= 1, "more than two hellos")
    }

    /// What reading came to.
    private struct Outcome: Equatable {
        var result: HandshakeResult
        var error: HandshakeError?
        var isFinished = false
        var answers = 0

        init(of pieces: [[UInt8]], _ reader: HandshakeReader) {
            var reader = reader
            self.result = reader.result
            do throws(HandshakeError) {
                for piece in pieces where !self.isFinished {
                    switch try reader.read(piece) {
                    case .unfinished: break
                    case .answer: self.answers += 1
                    case .finished: self.isFinished = true
                    }
                }
            } catch {
                self.error = error
            }
            self.result = reader.result
            // What is not TLS is quoted as far as it has come, which depends on how it was cut.
            guard case .notTLS = self.error else { return }
            (self.error, self.result.failure) = (.notTLS(beginning: ""), .notTLS(beginning: ""))
        }
    }
}

/// A prober that has said its hello.
struct Client {
    let hello: ClientHello
    let reader: HandshakeReader

    init() {
        var offer = HandshakeOffer()
        (offer.serverName, offer.applicationProtocols) = ("host.test", ["h2"])
        offer.cipherSuites = [0xC02B, 0xC02F, 0x009C, 0xC013].map(CipherSuite.init)
        var chance = SystemRandomNumberGenerator()
        (self.hello, self.reader) = offer.opening(using: &chance, verifiedBy: DigestVerifier())
    }

    /// Takes the digest of what is signed for a signature: who is not honest does not find it.
    struct DigestVerifier: HandshakeSignatureVerifier {
        func verifies(
            _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
            keyOf certificate: [UInt8]
        ) -> Bool { signature == Array(SHA256.hash(data: content)) }
    }
}
