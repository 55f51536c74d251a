//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a revocation list or an OCSP response cannot show that a certificate is not revoked.
public enum RevocationFault: Sendable, Hashable {
    /// It ended: its `nextUpdate` is over.
    case ended(Timestamp)
    /// It is from after the moment of the evaluation.
    case notBegun(Timestamp)
    /// It does not say when it ends, and counts for a day (OCSP) or not at all (lists).
    case withoutEnd(since: Timestamp)
    /// It is older than ``RevocationAgeLimits`` allow, whenever it ends.
    case tooOld(since: Timestamp, maximumSeconds: Int64)
    /// No key that may speak for the certificate's issuer signed it.
    case notSignedByIssuer
    /// Its signer may revoke the certificate and may not clear it: its certificate breaks a rule, or the response names
    /// another signer.
    case signerNotAccepted
    /// The status of its signer's own certificate must be known and is not: no other key says that it is not revoked.
    case signerStatusUnknown
    /// It is signed over a digest that is too weak.
    case weakDigest(SignatureDigest)
    /// It is signed by an algorithm that the profile does not accept.
    case algorithmNotAccepted(SignatureAlgorithm)
    /// A part of it cannot be read, contradicts another, or is a critical extension that is not known.
    case notUnderstood
    /// It is for other distribution points or other kinds of certificates.
    case otherScope
    /// It covers only some reasons for a revocation, or only the changes since a list that is not at hand.
    case partial
    /// The responder does not know the certificate.
    case statusUnknown
    /// It does not repeat the nonce of the question.
    case wrongNonce
    /// The work allowed for one evaluation ended before it.
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

/// What became of a revocation list or an OCSP response that was supplied.
public enum RevocationEvidenceUse: Sendable, Hashable {
    /// It shows what is known of certificates of the path, by their places.
    case used(certificateIndices: [Int])
    /// It was not needed.
    case notNeeded(NeedlessRevocationEvidence)
    /// It is about a certificate of the path and does not count.
    case unusable(RevocationFault, certificateIndex: Int)
}

/// Why a revocation list or an OCSP response was not needed.
public enum NeedlessRevocationEvidence: String, Sendable, Hashable, CaseIterable {
    /// The same was supplied before.
    case duplicate
    /// It is about no certificate of the path.
    case aboutOthers = "about-others"
    /// Revocation is not checked, or not in this way.
    case notChecked = "not-checked"
    /// No path reaches an anchor: there is nothing to ask it about.
    case noPath = "no-path"
    /// A younger list, or one that revokes, counts in its place.
    case overtaken
}

/// What became of everything about revocation that one policy was supplied with, in the order it was supplied.
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
    /// One of each, for lists of codes.
    package static let oneOfEach: [RevocationFault] = [
        .ended(Self.example), .notBegun(Self.example), .withoutEnd(since: Self.example),
        .tooOld(since: Self.example, maximumSeconds: 864_000), .notSignedByIssuer, .signerNotAccepted,
        .signerStatusUnknown,
        .weakDigest(.sha1), .algorithmNotAccepted(SignatureAlgorithm(.rsaPSS, .sha256)), .notUnderstood, .otherScope,
        .partial, .statusUnknown, .wrongNonce, .limitReached,
    ]

    private static let example = Timestamp(year: 2026, month: 1, day: 31)
}
