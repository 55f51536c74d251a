//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// OCSP responses: nothing without a signature clears a certificate.
///
/// An input is an octet of choices and responses.
enum OCSPTarget {
    static let headerCount = 1
    private static let serial = DER.number(4_711)

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: self.headerCount)
        var responses: [OCSPResponse] = []
        for chunk in input.chunks { self.parse(chunk, &responses, &findings) }
        guard !responses.isEmpty, let leaf = self.leaf, let root = self.root else { return }
        let signatures = input.header[0] & 1 == 0 ? 128 : 3
        func judge(_ mode: RevocationPolicy.Mode, _ responses: [OCSPResponse]) -> Verdict {
            judgment(leaf, anchors: [TrustAnchor(root)]) {
                $0.revocation = RevocationPolicy(mode, responses: responses)
                $0.budget.signatures = signatures
            }
        }
        let hard = judge(.hard, responses)
        let soft = judge(.soft, responses)
        findings.expect(
            hard.verifiedSignatures <= signatures, "more signatures than allowed: \(hard.verifiedSignatures)")
        findings.expect(!hard.isAccepted || soft.isAccepted, "accepted hard and refused soft: \(soft.summary)")
        if hard.isAccepted {
            let isSigned = responses.contains { self.signed.contains($0.bytes[$0.fields.tbsResponseData]) }
            findings.expect(isSigned, "cleared by a response without a signature")
        }
        let reversed = judge(.hard, responses.reversed())
        findings.expect(
            reversed.isAccepted == hard.isAccepted || signatures < 128,
            "the order of responses decides: \(hard.summary)")
    }

    private static func parse(_ chunk: [UInt8], _ responses: inout [OCSPResponse], _ findings: inout Findings) {
        do {
            let response = try OCSPResponse(der: chunk)
            findings.expect(response.certificates.count <= 8, "more than eight certificates are read")
            findings.expect(response.bytes == chunk, "other bytes than were given")
            responses.append(response)
        } catch {
            findings.expect((0...chunk.count).contains(error.offset), "an error beyond the end: \(error)")
            let again = Result { () throws(DERError) in try OCSPResponse(der: chunk).bytes }
            findings.expect(again == .failure(error), "another error the second time")
        }
    }

    private static let root = Fixtures.rootCertificate
    private static let leaf = try? Fixtures.root.leaf(Fixtures.leafKey) { $0.serialNumber = Self.serial }

    /// What was signed: whatever else comes along, only this can clear a certificate.
    private static let signed: Set<[UInt8]> = Set(
        ((try? Self.responses()) ?? []).map { $0.bytes[$0.fields.tbsResponseData] })

    private static func responses() throws -> [OCSPResponse] {
        let delegate = CraftedAuthority("Responder", .ed25519(9))
        let certificate = try Fixtures.root.authority(delegate) {
            $0.extensions = [
                .extendedKeyUsage("1.3.6.1.5.5.7.3.9"), .keyUsage(0), TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0]),
            ]
        }
        let revoked = DER.element(
            0xA1, DER.generalizedTime("20260520000000Z") + DER.element(0xA0, DER.element(0x0A, [1])))
        let changes: [(inout TestOCSPResponse) -> Void] = [
            { _ in },
            { $0.status = revoked },
            { $0.status = DER.element(0x82, []) },
            { $0.nextUpdate = nil },
            { ($0.signer, $0.certificates) = (delegate.key, [certificate]) },
            { $0.serial = DER.number(12) },
            { $0.singleExtensions = [TestExtension("1.3.6.1.5.5.7.48.1.6", DER.generalizedTime("20200101000000Z"))] },
            { $0.singleExtensions = [TestExtension("1.2.3.4", critical: true, [5, 0])] },
        ]
        return try changes.map { change in
            var response = TestOCSPResponse()
            (response.issuerName, response.issuerKey) = (Fixtures.root.name, Fixtures.root.key)
            response.signer = Fixtures.root.key
            change(&response)
            return try response.view()
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let responses = try self.responses().map(\.bytes)
        let refusal = DER.sequence(DER.element(0x0A, [6]))
        return responses.map { FuzzInput(header: [0], chunks: [$0]).encoded } + [
            FuzzInput(header: [0], chunks: [responses[0], responses[1]]).encoded,
            FuzzInput(header: [1], chunks: responses).encoded,
            FuzzInput(header: [0], chunks: [refusal]).encoded,
        ]
    }
}
