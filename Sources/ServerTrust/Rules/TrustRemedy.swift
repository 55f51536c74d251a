//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The remedy for a broken rule under one circumstance: what helps a server's certificate does not help its issuer's.
public struct TrustRemedy: Sendable, Hashable {
    /// The circumstance under which it helps.
    public let circumstance: Circumstance
    /// The things to do, the first one first. A program chooses by them, and may add how it spells them.
    public let actions: [Action]
    /// The things to do, in a sentence or two.
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
    /// The things that remedies ask for, by the short, stable names that programs know them by.
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
        /// Fetch the issuer from where the certificate says that it is.
        case fetchIssuer = "fetch-issuer"
        /// Have the server send fewer certificates, or others.
        case changeChain = "change-chain"
        /// Allow more intermediates.
        case raiseLimit = "raise-limit"
        /// Accept issuers of version 1 below roots of version 1.
        case acceptOldIssuers = "accept-old-issuers"
        /// Ask for another name.
        case useOtherName = "use-other-name"
        /// Set the clock of this machine, or judge for another moment.
        case setClock = "set-clock"
        /// Update the pins.
        case updatePins = "update-pins"
        /// Have the server staple an OCSP response.
        case staple
        /// Give or fetch a current revocation list or OCSP response.
        case giveStatus = "give-status"
        /// Name a certificate policy, or none.
        case changePolicy = "change-policy"
        /// Update Apple's data.
        case updateData = "update-data"
        /// Give a newer list of logs.
        case giveLogList = "give-log-list"
        /// Trust the roots of this machine's store, too.
        case trustSystemRoots = "trust-system-roots"
        /// Refuse servers that do not staple what their certificates promise.
        case requireStaple = "require-staple"
        /// Give no client certificate.
        case omitIdentity = "omit-identity"
        /// Ask another address of the server.
        case askAddress = "ask-address"
        /// Mend the other faults first.
        case mendOthers = "mend-others"
    }
}

extension TrustRemedy {
    /// The circumstances that remedies depend on.
    public enum Circumstance: String, Sendable, Hashable, CaseIterable {
        /// The fault is the server's certificate's, or it does not matter whose it is.
        case leaf
        /// The fault is an intermediate's.
        case intermediate
        /// The fault is the root's.
        case root
        /// The server's certificate is signed with its own key.
        case selfSignedServer = "self-signed-server"
        /// The certificate says where its issuer can be fetched.
        case fetchableIssuer = "fetchable-issuer"
        /// The address stands in the certificate as a DNS name.
        case addressAsDNSName = "address-as-dns-name"
        /// No name of the certificate can match any host.
        case noUsableName = "no-usable-name"
        /// One entry of the certificate voids its other names.
        case voidedNames = "voided-names"
        /// What was asked for is no name that a certificate can have.
        case impossibleName = "impossible-name"
        /// The certificate is another authority's signature on the key of a root.
        case crossCertificate = "cross-certificate"
        /// A name constraint is of a form whose names cannot be compared.
        case constraintForm = "constraint-form"
        /// A name constraint is written so that it permits less than was meant.
        case misspelledConstraint = "misspelled-constraint"
        /// The key is to decipher what clients encrypt with it, as static RSA has it.
        case staticRSA = "static-rsa"
        /// A pin is the digest of something else than a key.
        case confusedPin = "confused-pin"
        /// The certificate is of version 1 or 2, which has no extensions.
        case oldVersion = "old-version"
        /// A list or response is at hand and does not count.
        case unusableEvidence = "unusable-evidence"
        /// Timestamps are of logs that are not known here.
        case unknownLogs = "unknown-logs"
        /// Enough timestamps count, and too few operators run their logs.
        case fewOperators = "few-operators"

        /// The circumstance as the beginning of a sentence.
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
            case .unusableEvidence: "a list or response is at hand and does not count"
            case .unknownLogs: "timestamps of unknown logs"
            case .fewOperators: "enough timestamps, of logs of too few operators"
            }
        }
    }
}

extension TrustRemedy.Circumstance {
    /// The circumstance of a fault whose remedy depends on the place of the certificate alone.
    init(_ role: CertificateRole) {
        switch role {
        case .leaf: self = .leaf
        case .intermediate: self = .intermediate
        case .root: self = .root
        }
    }
}
