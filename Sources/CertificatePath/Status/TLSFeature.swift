//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What certificates promise of the servers that use them (RFC 7633).
extension RevocationChecker {
    /// The leaf's promise of stapled responses, and the features authorities demand of what they issue.
    func featureRejections(_ memo: inout SignatureMemo) -> [Rejection] {
        self.missingFeatures() + (self.stapledResponseRejection(&memo).map { [$0] } ?? [])
    }

    /// RFC 7633 §4.2.2: below an authority with the extension, every certificate has its features and may have more.
    private func missingFeatures() -> [Rejection] {
        let certificates = self.path.certificates
        return certificates.indices.dropLast().compactMap { index in
            let missing = Set(certificates[index + 1].tlsFeatures).subtracting(certificates[index].tlsFeatures)
            return missing.isEmpty ? nil : Rejection(.tlsFeatureMissing(missing.sorted()), at: index)
        }
    }

    /// RFC 7633 §4.3.1: a server whose certificate promises a stapled response, and that sends none or a bad one, is not
    /// what the certificate was issued for. In any other way the answer may come, the promise is not kept.
    private func stapledResponseRejection(_ memo: inout SignatureMemo) -> Rejection? {
        guard let leaf = self.path.certificates.first, leaf.promisesStapledResponse,
            let key = self.path.issuerKey(at: 0)
        else { return nil }
        let evidence = self.policy.stapledResponses.map { OCSPEvidence(response: $0, mayClear: true) }
        let status = self.responseChecker(at: 0, key).status(in: evidence, &memo)
        switch status {
        case .good: return nil
        case .revoked(let reason, let date): return Rejection(.revoked(reason, since: date), at: 0)
        case .unknown(let why): return Rejection(.stapledResponseMissing(why), at: 0)
        }
    }
}

extension CertificateView {
    /// The numbers of the TLS extensions the certificate promises (RFC 7633 §4.1); empty when it promises none.
    public var tlsFeatures: [UInt32] {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.tlsFeature, in: bytes.span)
        var features: [UInt32] = []
        while !reader.isAtEnd, let feature = try? reader.unsigned32(in: bytes.span) { features.append(feature) }
        return features
    }

    /// Whether the certificate promises that its server staples OCSP responses, which is called must-staple:
    /// `status_request` (RFC 6066) or `status_request_v2` (RFC 6961).
    public var promisesStapledResponse: Bool { self.tlsFeatures.contains { $0 == 5 || $0 == 17 } }
}
