//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The use of every input of an evaluation. Each certificate, root, revocation list, OCSP response, list of timestamps and set of
/// exceptions was used, was not needed, or is unusable.
///
/// No input is ignored silently. ``TrustResult/evidence`` computes it on demand.
public struct TrustEvidence: Sendable, Hashable {
    /// Every input, grouped by kind, in the order in which it was given.
    public let items: [Item]

    /// One input of an evaluation, with its use.
    public struct Item: Sendable, Hashable {
        /// The kind of the input.
        public let kind: Kind
        /// The position of the input among those of its kind, from 0.
        public let position: Int
        /// A name for people, such as the subject of a certificate or the issuer of a list. Empty if the input has no name.
        public let name: String
        /// The use that the evaluation made of the input.
        public let use: Use

        package init(kind: Kind, position: Int, name: String, use: Use) {
            self.kind = kind
            self.position = position
            self.name = name
            self.use = use
        }

        package init(unreadable kind: Kind, at position: Int, _ error: DERError) {
            self.init(kind: kind, position: position, name: "", use: .unusable(.malformed(error)))
        }
    }

    /// The kinds of inputs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A certificate as the peer sent it. The leaf is at position 0.
        case certificate
        /// A trusted certificate added by the program: ``TrustAnchors/certificates``.
        case root
        /// A ``TrustStore``.
        case store
        /// A revocation list: `RevocationPolicy.lists`.
        case revocationList = "crl"
        /// An OCSP response: first those of `RevocationPolicy.responses`, then the requested ones.
        case ocspResponse = "ocsp"
        /// An OCSP response from the server's handshake.
        case stapledResponse = "stapled-ocsp"
        /// A list of timestamps of certificate transparency from the server's handshake.
        case timestampList = "sct"
        /// Exceptions: ``Trust/setExceptions(_:)``.
        case exceptions
    }

    /// The ways in which an evaluation uses an input.
    ///
    /// The result names the reason for each input without use.
    public enum Use: Sendable, Hashable {
        /// The verdict depends on the input.
        case used
        /// The verdict does not depend on the input.
        case notNeeded(Needlessness)
        /// The input was needed and could not be used.
        case unusable(Fault)
    }

    /// The reasons why an input was not needed.
    public enum Needlessness: String, Sendable, Hashable, CaseIterable {
        /// An equal input was given before.
        case duplicate
        /// The certificate was sent and is a trust anchor already.
        case trustedAlready = "trusted-already"
        /// Another certificate of the same authority is on the path.
        case alternative
        /// The certificate issued no other certificate of the chain.
        case stranger
        /// The path ends at another anchor.
        case otherAnchor = "other-anchor"
        /// Anchors of its class do not count (``Trust/anchorClasses``).
        case otherClass = "other-class"
        /// The input is about no certificate of the path.
        case aboutOthers = "about-others"
        /// The evaluation did not check this, for instance revocation.
        case notChecked = "not-checked"
        /// No path reaches a trust anchor.
        case noPath = "no-path"
        /// A newer list or response, or one that revokes, counts instead.
        case overtaken
        /// The path has no failure that the exceptions lift.
        case nothingToLift = "nothing-to-lift"
    }

    /// The reasons why an input could not be used.
    public enum Fault: Sendable, Hashable {
        /// The encoding is invalid. The error names the octet.
        case malformed(DERError)
        /// The octets are not a list of timestamps.
        case malformedTimestampList
        /// A list or response does not count for a certificate of the path.
        case revocation(RevocationFault, certificateIndex: Int)
        /// No timestamp of the list counts. Each status is listed once.
        case timestamps([TransparencyReport.Status])
    }

    /// Returns the inputs of one kind, in the order in which they were given.
    public func items(of kind: Kind) -> [Item] { self.items.filter { $0.kind == kind } }
}

// MARK: - Text

extension TrustEvidence.Item: CustomStringConvertible {
    /// `true` if the verdict depends on the input.
    public var isUsed: Bool { self.use == .used }

    /// The use of the input, as a stable name for programs.
    public var code: String {
        switch self.use {
        case .used: "used"
        case .notNeeded: "not-needed"
        case .unusable: "unusable"
        }
    }

    /// The reason why the input was not used, as a stable name for programs, or `nil` if it was used.
    public var reasonCode: String? {
        switch self.use {
        case .used: nil
        case .notNeeded(let why): why.rawValue
        case .unusable(.malformed), .unusable(.malformedTimestampList): "malformed"
        case .unusable(.revocation(let fault, _)): fault.code
        case .unusable(.timestamps(let statuses)): statuses.first?.rawValue ?? "malformed"
        }
    }

    /// The use of the input, in one clause: `not needed: the same was given before`.
    public var message: String {
        switch self.use {
        case .used: "used"
        // An anchor that no path could reach is not reported as needless.
        case .notNeeded(.noPath) where [.root, .store].contains(self.kind): self.clause(.noPath)
        case .notNeeded(let why): "not needed: \(self.clause(why))"
        case .unusable(let fault): "unusable: \(fault.clause)"
        }
    }

    /// The reason why the input was not used, as a clause about “it”, or `nil` if it was used.
    package var clause: String? {
        switch self.use {
        case .used: nil
        case .notNeeded(let why): self.clause(why)
        case .unusable(let fault): fault.clause
        }
    }

    /// The kind, position, name and use of the input.
    public var description: String {
        "\(self.kind.title) \(self.position + 1)\(self.name.isEmpty ? "" : " (\(self.name))"): \(self.message)"
    }

    private func clause(_ why: TrustEvidence.Needlessness) -> String {
        switch why {
        case .duplicate: "the same was given before"
        case .trustedAlready: "it is trusted already"
        case .alternative: "another certificate of this authority stands on the path"
        case .stranger: "it issued no certificate of the path"
        case .otherAnchor where self.kind == .store: "the path ends at no certificate of it"
        case .otherAnchor: "the path does not end at it"
        case .otherClass: "anchors of its class do not count"
        case .aboutOthers where self.kind == .revocationList:
            "its issuer, “\(self.name)”, issued no certificate of the path"
        case .aboutOthers: "it is about no certificate of the path"
        case .notChecked where self.kind == .timestampList: "certificate transparency was not checked"
        case .notChecked: "revocation was not checked by it"
        case .noPath where self.kind == .store: "no path ends at a certificate of it"
        case .noPath where self.kind == .root: "no path ends at it"
        case .noPath: "no path reaches a trusted root"
        case .overtaken: "another one, younger or with the revocation, counts"
        case .nothingToLift: "the reasons they lift do not count against the path"
        }
    }
}

extension TrustEvidence.Kind {
    /// The name of the kind for people.
    public var title: String {
        switch self {
        case .certificate: "certificate"
        case .root: "trusted certificate"
        case .store: "trust store"
        case .revocationList: "revocation list"
        case .ocspResponse: "OCSP response"
        case .stapledResponse: "stapled OCSP response"
        case .timestampList: "list of timestamps"
        case .exceptions: "exceptions"
        }
    }
}

extension TrustEvidence.Fault {
    /// The fault, as a clause about “it”.
    public var clause: String {
        switch self {
        case .malformed(let error): "it cannot be read (\(error))"
        case .malformedTimestampList: "it is not a SignedCertificateTimestampList (RFC 6962 §3.3)"
        case .revocation(let fault, let index): fault.clause(about: index)
        case .timestamps(let statuses):
            statuses.isEmpty
                ? "it has no timestamps"
                : "its timestamps do not count (\(statuses.map(\.rawValue).joined(separator: ", ")))"
        }
    }
}

extension RevocationFault {
    /// Returns the fault of a list or response, as a clause about “it”.
    ///
    /// - Parameter index: The position of the certificate that the list or response is about.
    package func clause(about index: Int) -> String {
        switch self {
        case .ended(let date): "it ended on \(date)"
        case .notBegun(let date): "it is from \(date), after the moment of the evaluation"
        case .withoutEnd(let date): "it is from \(date) and does not say when it ends"
        case .tooOld(let date, let maximum):
            "it is from \(date), and an age of at most \(maximum.secondsInDays) is accepted"
        case .notSignedByIssuer: "it is not signed by the issuer of certificate \(index)"
        case .signerStatusUnknown:
            "the status of its signer's own certificate is not known, and the signer cannot answer for itself"
        case .signerNotAccepted: "its signer may not say that certificate \(index) is not revoked"
        case .weakDigest(let digest): "it is signed over \(digest.rawValue), which is not accepted"
        case .algorithmNotAccepted(let algorithm): "it is signed by \(algorithm), which Apple's systems do not verify"
        case .notUnderstood:
            "a part of it cannot be read, contradicts another part, or is an unknown critical extension"
        case .otherScope:
            "it is for other kinds of certificates, or other distribution points, than certificate \(index)"
        case .partial: "it does not cover every reason for a revocation"
        case .statusUnknown: "its responder does not know certificate \(index)"
        case .wrongNonce: "it does not repeat the nonce of a question"
        case .limitReached: "the work allowed for one evaluation ended before it was checked"
        }
    }
}
