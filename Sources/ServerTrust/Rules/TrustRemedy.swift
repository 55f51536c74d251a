//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A remedy for a broken rule under one circumstance.
///
/// Remedies depend on circumstances: a fault of the server's certificate has another remedy than a fault of its issuer. ``advice``
/// is text for people. ``actions`` lets a program choose its own presentation.
public struct TrustRemedy: Sendable, Hashable {
    /// The circumstance under which the remedy helps.
    public let circumstance: Circumstance
    /// The recommended actions, the best one first. A program can branch on them and add its own instructions.
    public let actions: [Action]
    /// The advice, in a sentence or two.
    public let advice: String

    init(_ circumstance: Circumstance, _ actions: Action..., advice: String) {
        self.circumstance = circumstance
        self.actions = actions
        self.advice = advice
    }
}

extension TrustRemedy: CustomStringConvertible {
    /// The advice.
    public var description: String { self.advice }
}

extension TrustRemedy {
    /// The actions that remedies recommend, with short, stable names for programs.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Renew the certificate and install the new one.
        case renew
        /// Have the certificate issued again, with other contents.
        case reissue
        /// Make a new key, and have it certified.
        case makeKey = "make-key"
        /// Install the certificate and its intermediates again.
        case installAgain = "install-again"
        /// Get a certificate from another authority.
        case useOtherAuthority = "use-other-authority"
        /// Use another certificate of the authority, or another intermediate.
        case useOtherIssuer = "use-other-issuer"
        /// Use another root.
        case useOtherRoot = "use-other-root"
        /// Trust the root, or the certificate itself.
        case trustRoot = "trust-root"
        /// Have the server send its intermediates.
        case sendIntermediate = "send-intermediate"
        /// Fetch the issuer from the URL in the certificate.
        case fetchIssuer = "fetch-issuer"
        /// Have the server send fewer certificates, or others.
        case changeChain = "change-chain"
        /// Allow more intermediates.
        case raiseLimit = "raise-limit"
        /// Accept issuers of version 1 below roots of version 1.
        case acceptOldIssuers = "accept-old-issuers"
        /// Connect under another name.
        case useOtherName = "use-other-name"
        /// Set the clock of this machine, or evaluate for another date.
        case setClock = "set-clock"
        /// Update the pins.
        case updatePins = "update-pins"
        /// Have the server staple an OCSP response.
        case staple
        /// Provide or fetch a current revocation list or OCSP response.
        case giveStatus = "give-status"
        /// Require another certificate policy, or none.
        case changePolicy = "change-policy"
        /// Update Apple's data.
        case updateData = "update-data"
        /// Provide a newer log list.
        case giveLogList = "give-log-list"
        /// Also trust the roots of this machine's store.
        case trustSystemRoots = "trust-system-roots"
        /// Refuse servers that do not staple the OCSP response that their certificates promise.
        case requireStaple = "require-staple"
        /// Provide no client certificate.
        case omitIdentity = "omit-identity"
        /// Connect to another address of the server.
        case askAddress = "ask-address"
        /// Repair the other faults first.
        case mendOthers = "mend-others"
    }
}

extension TrustRemedy {
    /// The circumstances that remedies depend on.
    ///
    /// The first three are the role of the certificate at fault. The others are particular causes.
    public enum Circumstance: String, Sendable, Hashable, CaseIterable {
        /// The fault is in the server's certificate, or its place does not matter.
        case leaf
        /// The fault is in an intermediate.
        case intermediate
        /// The fault is in the root.
        case root
        /// The server's certificate is signed with its own key.
        case selfSignedServer = "self-signed-server"
        /// The certificate has a URL from which its issuer can be fetched.
        case fetchableIssuer = "fetchable-issuer"
        /// The certificate has the address as a DNS name.
        case addressAsDNSName = "address-as-dns-name"
        /// No name of the certificate can match any host.
        case noUsableName = "no-usable-name"
        /// One entry of the certificate voids its other names.
        case voidedNames = "voided-names"
        /// The reference is not a name that a certificate can have.
        case impossibleName = "impossible-name"
        /// The certificate is a cross-certificate: another authority signed the key of a root.
        case crossCertificate = "cross-certificate"
        /// A name constraint has a form that cannot be compared.
        case constraintForm = "constraint-form"
        /// A name constraint permits fewer names than intended because of its spelling.
        case misspelledConstraint = "misspelled-constraint"
        /// The handshake uses static RSA, for which the key must decrypt.
        case staticRSA = "static-rsa"
        /// A pin is the digest of something other than a key.
        case confusedPin = "confused-pin"
        /// The certificate is of version 1 or 2, which has no extensions.
        case oldVersion = "old-version"
        /// The certificate of a server is used as a client's.
        case serverCertificateOfClient = "server-certificate-of-client"
        /// A list or response is available but does not count.
        case unusableEvidence = "unusable-evidence"
        /// Some timestamps are from logs unknown here.
        case unknownLogs = "unknown-logs"
        /// Enough timestamps count, but too few operators run their logs.
        case fewOperators = "few-operators"

        /// The circumstance, for people, as the beginning of a sentence.
        public var title: String {
            switch self {
            case .leaf: "the server's certificate"
            case .intermediate: "an intermediate"
            case .root: "the root"
            case .selfSignedServer: "a server's certificate that is signed with its own key"
            case .fetchableIssuer: "the certificate says where its issuer is"
            case .addressAsDNSName: "the address stands in the certificate as a DNS name"
            case .noUsableName: "no name of the certificate can match a host"
            case .voidedNames: "one entry voids the other names of the certificate"
            case .impossibleName: "the name that was asked for is no name of a host"
            case .crossCertificate: "another authority's certificate for the key of a root"
            case .constraintForm: "a name constraint of a form that cannot be compared"
            case .misspelledConstraint: "a name constraint that permits less than was meant"
            case .staticRSA: "an exchange of keys by RSA alone"
            case .confusedPin: "a pin that is the digest of something else than a key"
            case .oldVersion: "a certificate of version 1 or 2"
            case .serverCertificateOfClient: "a server's certificate that is used as a client's"
            case .unusableEvidence: "a list or response is at hand and does not count"
            case .unknownLogs: "timestamps of unknown logs"
            case .fewOperators: "enough timestamps, of logs of too few operators"
            }
        }
    }
}

extension TrustRemedy.Circumstance {
    init(_ role: CertificateRole) {
        switch role {
        case .leaf: self = .leaf
        case .intermediate: self = .intermediate
        case .root: self = .root
        }
    }
}
