//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The TLS features in certificates (RFC 7633), which are promises about the server.
extension RevocationChecker {
    /// Returns the rejections for a missing stapled response and for features that an authority requires of its certificates.
    func featureRejections(_ memo: inout SignatureMemo) -> [Rejection] {
        self.missingFeatures() + (self.stapledResponseRejection(&memo).map { [$0] } ?? [])
    }

    /// Returns the missing features. Below an authority with the extension, every certificate has at least its
    /// features (RFC 7633 §4.2.2).
    private func missingFeatures() -> [Rejection] {
        let certificates = self.path.certificates
        return certificates.indices.dropLast().compactMap { index in
            let missing = Set(certificates[index + 1].tlsFeatures).subtracting(certificates[index].tlsFeatures)
            return missing.isEmpty ? nil : Rejection(.tlsFeatureMissing(missing.sorted()), at: index)
        }
    }

    /// Returns the rejection for a missing stapled response. If the certificate promises one and the server sends none
    /// or a bad one, it is not the server that the certificate was issued for (RFC 7633 §4.3.1). A response from
    /// another source does not count.
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
    /// The numbers of the TLS extensions that the certificate promises (RFC 7633 §4.1). Empty if there are none.
    public var tlsFeatures: [UInt32] {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.tlsFeature, in: bytes.span)
        var features: [UInt32] = []
        while !reader.isAtEnd, let feature = try? reader.unsigned32(in: bytes.span) { features.append(feature) }
        return features
    }

    /// `true` if the certificate promises that its server staples OCSP responses, known as must-staple:
    /// `status_request` (RFC 6066) or `status_request_v2` (RFC 6961).
    public var promisesStapledResponse: Bool { self.tlsFeatures.contains { $0 == 5 || $0 == 17 } }
}
