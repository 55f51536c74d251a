//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a revocation list or an OCSP response cannot show that a certificate is not revoked.
///
/// It explains ``UnknownRevocation/notUsable`` for one piece of evidence. A list or response with a fault may still revoke.
public enum RevocationFault: Sendable, Hashable {
    /// The evidence expired: its `nextUpdate` is over.
    case ended(Timestamp)
    /// The evidence is later than the time of the evaluation.
    case notBegun(Timestamp)
    /// The evidence has no `nextUpdate`. A response then counts for a day, and a list does not count.
    case withoutEnd(since: Timestamp)
    /// The evidence is older than ``RevocationAgeLimits`` allow, regardless of its `nextUpdate`.
    case tooOld(since: Timestamp, maximumSeconds: Int64)
    /// The evidence is not signed by a key that may sign for the certificate's issuer.
    case notSignedByIssuer
    /// The signer of the evidence may revoke the certificate and may not clear it. The signer's certificate breaks a
    /// rule, or the response names another signer.
    case signerNotAccepted
    /// The status of the signer's own certificate must be known and is not. No other key says that it is not revoked.
    case signerStatusUnknown
    /// The digest of the signature is too weak.
    case weakDigest(SignatureDigest)
    /// The profile does not accept the algorithm of the signature.
    case algorithmNotAccepted(SignatureAlgorithm)
    /// A part of the evidence is malformed, contradicts another part, or is an unknown critical extension.
    case notUnderstood
    /// The evidence is for other distribution points or other kinds of certificates.
    case otherScope
    /// The evidence covers only some reasons for a revocation, or only the changes since a list that was not supplied.
    case partial
    /// The responder does not know the certificate.
    case statusUnknown
    /// The response does not repeat the nonce of the request.
    case wrongNonce
    /// The evaluation reached a limit of its budget before this evidence.
    case limitReached

    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .ended: "ended"
        case .notBegun: "not-begun"
        case .withoutEnd: "without-end"
        case .tooOld: "too-old"
        case .notSignedByIssuer: "not-signed-by-issuer"
        case .signerNotAccepted: "signer-not-accepted"
        case .signerStatusUnknown: "signer-status-unknown"
        case .weakDigest: "weak-digest"
        case .algorithmNotAccepted: "algorithm-not-accepted"
        case .notUnderstood: "not-understood"
        case .otherScope: "other-scope"
        case .partial: "partial"
        case .statusUnknown: "status-unknown"
        case .wrongNonce: "wrong-nonce"
        case .limitReached: "limit-reached"
        }
    }
}

/// The use of a supplied revocation list or OCSP response.
public enum RevocationEvidenceUse: Sendable, Hashable {
    /// The evidence decides the status of certificates of the path, which are given by their indices.
    case used(certificateIndices: [Int])
    /// The evidence was not needed.
    case notNeeded(NeedlessRevocationEvidence)
    /// The evidence is about a certificate of the path and does not count.
    case unusable(RevocationFault, certificateIndex: Int)
}

/// The reason that a revocation list or an OCSP response was not needed.
public enum NeedlessRevocationEvidence: String, Sendable, Hashable, CaseIterable {
    /// The same evidence was supplied before.
    case duplicate
    /// The evidence is about no certificate of the path.
    case aboutOthers = "about-others"
    /// Revocation is not checked, or not with this kind of evidence.
    case notChecked = "not-checked"
    /// No path reaches an anchor, so no status is needed.
    case noPath = "no-path"
    /// A newer list, or one that revokes, counts instead.
    case overtaken
}

/// The uses of all lists and responses of one policy, in the order of the policy.
public struct RevocationEvidence: Sendable, Hashable {
    /// The uses of ``RevocationPolicy/lists``.
    public internal(set) var lists: [RevocationEvidenceUse]
    /// The uses of ``RevocationPolicy/responses``.
    public internal(set) var responses: [RevocationEvidenceUse]
    /// The uses of ``RevocationPolicy/stapledResponses``.
    public internal(set) var stapledResponses: [RevocationEvidenceUse]
    /// The uses of ``RevocationPolicy/requestedResponses``.
    public internal(set) var requestedResponses: [RevocationEvidenceUse]
}

extension RevocationFault {
    /// One value of each case, for lists of codes.
    package static let oneOfEach: [RevocationFault] = [
        .ended(Self.example), .notBegun(Self.example), .withoutEnd(since: Self.example),
        .tooOld(since: Self.example, maximumSeconds: 864_000), .notSignedByIssuer, .signerNotAccepted,
        .signerStatusUnknown,
        .weakDigest(.sha1), .algorithmNotAccepted(SignatureAlgorithm(.rsaPSS, .sha256)), .notUnderstood, .otherScope,
        .partial, .statusUnknown, .wrongNonce, .limitReached,
    ]

    private static let example = Timestamp(year: 2026, month: 1, day: 31)
}
