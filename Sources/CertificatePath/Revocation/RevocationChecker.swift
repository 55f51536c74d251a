//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Checks the certificates of a path that is otherwise in order for revocation (RFC 5280 §6.3, RFC 6960).
struct RevocationChecker {
    let path: CandidatePath
    let request: ValidationRequest
    /// How many paths of list issuers led here; theirs are checked too, and theirs not without end.
    let depth: Int
    /// The certificates a list issuer's path may be built from.
    let supplied: [CertificateView]

    /// A list signed by a certificate whose revocation is in a list signed by another: two such steps are enough for
    /// everything RFC 5280 describes.
    private static let maximumDepth = 2

    /// What speaks against the path, checked from the anchor down: a list is worth no more than the path of its issuer.
    func rejections(using builder: inout PathBuilder) -> [Rejection] {
        let policy = self.request.revocation
        guard policy.mode != .off, self.path.anchor != nil else { return [] }
        let belowAnchor = self.path.certificates.indices.dropLast(self.path.endsWithAnchorCertificate ? 1 : 0)
        builder.signaturesRanOut = false
        var rejections: [Rejection] = []
        for index in belowAnchor.reversed() {
            switch self.status(at: index, &builder) {
            case .good: continue
            case .revoked(let reason, let date):
                rejections.append(Rejection(.revoked(reason, since: date), at: index))
            case .unknown(let why):
                if policy.mode == .hard { rejections.append(Rejection(.revocationStatusUnknown(why), at: index)) }
            }
        }
        // A server that sends look-alikes until nothing is left for its revocation list is not softly let through.
        if builder.signaturesRanOut { rejections.append(Rejection(.budgetExceeded(.signatures), at: 0)) }
        return rejections
    }

    private func status(at index: Int, _ builder: inout PathBuilder) -> RevocationStatus {
        let certificate = self.path.certificates[index]
        guard let key = self.path.issuerKey(at: index) else { return .unknown(.noInformation) }
        let issuerName = self.issuerName(at: index)
        let ocsp = OCSPChecker(
            certificate: certificate, issuerKey: key, issuerName: issuerName, time: self.request.time
        )
        .status(in: self.request.revocation.responses, &builder)
        guard case .unknown(let why) = ocsp else { return ocsp }
        let lists = CertificateListChecker(
            certificate: certificate, issuerKey: key,
            issuer: index + 1 < self.path.certificates.count ? self.path.certificates[index + 1] : nil,
            checker: self, index: index
        ).status(&builder)
        // RFC 6960 §4.2.2.2.1: a responder's certificate may ask not to be checked; what is known counts all the same.
        if case .unknown = lists, certificate.has(.ocspNoCheck) { return .good }
        guard case .unknown(.noInformation) = lists else { return lists }
        return .unknown(why)
    }

    /// The issuer's name as the certificate has it, header included: what OCSP digests.
    private func issuerName(at index: Int) -> [UInt8] {
        let certificate = self.path.certificates[index]
        return DERWriter.element(.sequence, certificate.bytes[certificate.fields.issuer])
    }

    /// Whether a certificate may sign lists for this path: a path of its own leads to the same anchor, and nothing on it is
    /// revoked (RFC 5280 §6.3.3 (f)).
    func trusts(listIssuer: CertificateView, _ builder: inout PathBuilder) -> Bool {
        guard self.depth < Self.maximumDepth, let anchor = self.path.anchor else { return false }
        var request = self.request
        request.purposes = [PurposeRequirement(.any)]
        request.maximumIntermediates = nil
        request.budget.signatures = builder.remainingSignatures
        let validator = PathValidator(request, anchors: [TrustAnchorSet([anchor])])
        let verdict = validator.validate(listIssuer, intermediates: self.supplied, depth: self.depth + 1)
        builder.charge(verdict.verifiedSignatures)
        if verdict.rejections.contains(where: { $0.reason == .budgetExceeded(.signatures) }) {
            builder.signaturesRanOut = true
        }
        return verdict.isAccepted
    }
}
