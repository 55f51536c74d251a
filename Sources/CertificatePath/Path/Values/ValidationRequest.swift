//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The conditions for a path: the time, the purposes, and the rules.
///
/// Create one for each evaluation and pass it to a ``PathValidator``. Properties without a parameter in the
/// initializer have defaults.
///
/// ```swift
/// let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "example.com")])
/// var request = ValidationRequest(time: now, purposes: [server])
/// request.publicSuffixes = suffixes
/// ```
public struct ValidationRequest: Sendable {
    /// The time at which the path must be valid.
    public var time: Timestamp
    /// The purposes that the path must all allow.
    public var purposes: [PurposeRequirement]
    /// The profile with the rules.
    public var profile: ValidationProfile
    /// The inputs of RFC 5280 §6.1.1 (c) to (g).
    public var policies: PolicyInputs
    /// The maximum number of intermediates that are not self-issued, or `nil` for no limit except the budget.
    public var maximumIntermediates: Int?
    /// The accepted classes of anchors. Anchors of other classes are ignored.
    public var anchorClasses: Set<AnchorClass>
    /// The public suffixes, directly below which wildcards do not match, or `nil` without a list.
    public var publicSuffixes: PublicSuffixList?
    /// The policy for checking revocation. By default, supplied evidence may show that a certificate is revoked, and
    /// no evidence is required.
    public var revocation: RevocationPolicy
    /// Additional revocation policies. A path must satisfy each of them separately, so none weakens another.
    public var additionalRevocation: [RevocationPolicy]
    /// The request for certificate transparency, or `nil` for none.
    public var transparency: TransparencyRequest?
    /// The roots that no path may contain. None is blocked by default.
    public var blockedRoots = BlockedRoots.dangerouslyNone
    /// The cache of verified signatures, or `nil` to verify every signature.
    public var signatureCache: SignatureCache?
    /// The limits on the work of the evaluation.
    public var budget: Budget
    /// The kind of evidence that the leaf signs, if its path is evaluated for that.
    var statusSigner: StatusSigner?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - time: The time at which the path must be valid.
    ///   - purposes: The purposes that the path must all allow.
    ///   - profile: The profile with the rules.
    public init(
        time: Timestamp,
        purposes: [PurposeRequirement] = [PurposeRequirement(.any)],
        profile: ValidationProfile = .apple
    ) {
        self.init(
            time: time, purposes: purposes, profile: profile, policies: PolicyInputs(), maximumIntermediates: nil,
            anchorClasses: AnchorClass.all, publicSuffixes: nil, revocation: .atHand, additionalRevocation: [],
            transparency: nil, signatureCache: nil, budget: Budget())
    }

    /// Creates a complete request, without defaults that the caller would replace.
    package init(
        time: Timestamp, purposes: [PurposeRequirement], profile: ValidationProfile, policies: PolicyInputs,
        maximumIntermediates: Int?, anchorClasses: Set<AnchorClass>, publicSuffixes: PublicSuffixList?,
        revocation: RevocationPolicy, additionalRevocation: [RevocationPolicy], transparency: TransparencyRequest?,
        signatureCache: SignatureCache?, budget: Budget
    ) {
        self.time = time
        self.purposes = purposes
        self.profile = profile
        self.policies = policies
        self.maximumIntermediates = maximumIntermediates
        self.anchorClasses = anchorClasses
        self.publicSuffixes = publicSuffixes
        self.transparency = transparency
        self.revocation = revocation
        self.additionalRevocation = additionalRevocation
        self.signatureCache = signatureCache
        self.budget = budget
    }

    /// Sorts lists and responses and removes duplicates, so that the order of the input does not decide which of them
    /// a limit of the budget affects.
    mutating func orderEvidence() {
        self.revocation.orderEvidence()
        for index in self.additionalRevocation.indices { self.additionalRevocation[index].orderEvidence() }
    }

    /// `true` if there is at most one document of each kind. Most evaluations then copy nothing.
    var hasOrderedEvidence: Bool {
        self.additionalRevocation.isEmpty && self.revocation.isOrdered
    }

    var revocationOctets: Int {
        self.additionalRevocation.reduce(self.revocation.octets) { $0 + $1.octets }
    }
}

/// A purpose that a path must allow, with its names, usages and pins.
public struct PurposeRequirement: Sendable, Hashable {
    /// The kind of peer that the leaf identifies.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// A TLS server.
        case server
        /// A TLS client.
        case client
        /// Any peer, with the basic rules of X.509.
        case any
    }

    /// The kind of peer that the leaf identifies.
    public var purpose: Purpose
    /// The names that the leaf must all have. If there are none, no name is checked.
    public var identities: [IdentityRequirement]
    /// Additional extended key usages that the leaf, and every intermediate with the extension, must allow.
    public var extendedKeyUsages: [OID]
    /// The key usages that the leaf must have, if it has the extension.
    public var keyUsage: KeyUsage
    /// The pin requirements, all of which a path must satisfy.
    public var pins: [PinRequirement]

    /// Creates a purpose without further requirements.
    public init(_ purpose: Purpose, identities: [IdentityRequirement] = []) {
        self.purpose = purpose
        self.identities = identities
        self.extendedKeyUsages = []
        self.keyUsage = []
        self.pins = []
    }
}

/// A name that the leaf must have.
public enum IdentityRequirement: Sendable, Hashable {
    /// A valid name.
    case identity(ReferenceIdentity)
    /// A text that is not a valid name. No certificate matches it.
    case unmatchable(String)

    /// Creates the requirement for a host as the user typed it.
    public init(host: String) {
        do {
            self = .identity(try ReferenceIdentity(host: host))
        } catch {
            self = .unmatchable(host)
        }
    }
}

extension IdentityRequirement: CustomStringConvertible {
    /// The name in printable form.
    public var description: String {
        switch self {
        case .identity(let name): name.description
        case .unmatchable(let text): PrintableText.text(of: text)
        }
    }
}

/// The inputs to certificate policy processing (RFC 5280 §6.1.1 (c) to (g)).
public struct PolicyInputs: Sendable, Hashable {
    /// The policies that the caller accepts, or `nil` for anyPolicy.
    public var initialPolicies: Set<OID>?
    /// `true` if the path must be valid for at least one of them.
    public var requiresExplicitPolicy: Bool
    /// `true` if policy mappings are not allowed.
    public var inhibitsPolicyMapping: Bool
    /// `true` if anyPolicy in certificates is ignored.
    public var inhibitsAnyPolicy: Bool

    /// Creates inputs. By default every policy is accepted and none is required.
    public init(
        initialPolicies: Set<OID>? = nil,
        requiresExplicitPolicy: Bool = false,
        inhibitsPolicyMapping: Bool = false,
        inhibitsAnyPolicy: Bool = false
    ) {
        self.initialPolicies = initialPolicies
        self.requiresExplicitPolicy = requiresExplicitPolicy
        self.inhibitsPolicyMapping = inhibitsPolicyMapping
        self.inhibitsAnyPolicy = inhibitsAnyPolicy
    }
}

/// A request that the parts of one evaluation share. It holds a dozen references, and each copy would count all of them.
final class SharedRequest: Sendable {
    let value: ValidationRequest

    init(_ value: ValidationRequest) {
        self.value = value
    }
}
