//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a path is asked to be good for, and under which rules.
public struct ValidationRequest: Sendable {
    /// The moment the path must be valid at.
    public var time: Timestamp
    /// The uses the path must allow, all of them.
    public var purposes: [PurposeRequirement]
    /// The rules.
    public var profile: ValidationProfile
    /// The inputs of RFC 5280 §6.1.1 (c) to (g).
    public var policies: PolicyInputs
    /// The most intermediates between leaf and anchor that are not self-issued; `nil` for no limit but the budget's.
    public var maximumIntermediates: Int?
    /// The classes of anchors a path may end at; the others are as good as not there.
    public var anchorClasses: Set<AnchorClass>
    /// Public suffixes, below which wildcards do not reach; `nil` when no list is at hand.
    public var publicSuffixes: PublicSuffixList?
    /// Whether and how revocation is checked. By default, what is at hand may show that a certificate is revoked, and
    /// nothing must be at hand.
    public var revocation: RevocationPolicy
    /// Further revocation policies; a path must satisfy every one by itself, so that none weakens another.
    public var additionalRevocation: [RevocationPolicy]
    /// Whether and how certificate transparency is asked for; `nil` asks nothing.
    public var transparency: TransparencyRequest?
    /// Roots that no path may lead through. Nothing is blocked unless it is said here: the engine knows no lists.
    public var blockedRoots = BlockedRoots.dangerouslyNone
    /// Signatures verified before; `nil` verifies every one.
    public var signatureCache: SignatureCache?
    /// The work allowed.
    public var budget: Budget
    /// What the leaf signs, when it is a certificate that vouches for the status of others.
    var statusSigner: StatusSigner?

    /// A request.
    ///
    /// - Parameters:
    ///   - time: The moment the path must be valid at.
    ///   - purposes: The uses the path must allow, all of them.
    ///   - profile: The rules.
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

    /// A request at once, without defaults that are replaced.
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

    /// Puts lists and responses into an order that does not depend on how they were supplied, each once: where a budget
    /// ends, it ends at the same one.
    mutating func orderEvidence() {
        self.revocation.orderEvidence()
        for index in self.additionalRevocation.indices { self.additionalRevocation[index].orderEvidence() }
    }

    /// Whether nothing is there that could be in another order: most evaluations, which copy nothing for it.
    var hasOrderedEvidence: Bool {
        self.additionalRevocation.isEmpty && self.revocation.isOrdered
    }

    /// The size of the lists and responses at hand.
    var revocationOctets: Int {
        self.additionalRevocation.reduce(self.revocation.octets) { $0 + $1.octets }
    }
}

/// One use of a path.
public struct PurposeRequirement: Sendable, Hashable {
    /// Whom the leaf identifies.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// A TLS server.
        case server
        /// A TLS client.
        case client
        /// Anyone: basic X.509 rules.
        case any
    }

    /// Whom the leaf identifies.
    public var purpose: Purpose
    /// The names the leaf must all be for; none checks no name.
    public var identities: [IdentityRequirement]
    /// Extended key usages the leaf must permit besides the purpose's own.
    public var extendedKeyUsages: [OID]
    /// Key usages the leaf must have if it has the extension.
    public var keyUsage: KeyUsage
    /// What is pinned; a path must satisfy every one of them.
    public var pins: [PinRequirement]

    /// A use without further demands.
    public init(_ purpose: Purpose, identities: [IdentityRequirement] = []) {
        self.purpose = purpose
        self.identities = identities
        self.extendedKeyUsages = []
        self.keyUsage = []
        self.pins = []
    }
}

/// A name the leaf must be for.
public enum IdentityRequirement: Sendable, Hashable {
    /// A name that certificates can carry.
    case identity(ReferenceIdentity)
    /// What a caller gave as a name and is not a name: no certificate is for it.
    case unmatchable(String)

    /// The requirement for what a user typed as a host.
    public init(host: String) {
        do {
            self = .identity(try ReferenceIdentity(host: host))
        } catch {
            self = .unmatchable(host)
        }
    }
}

extension IdentityRequirement: CustomStringConvertible {
    /// The name, printable.
    public var description: String {
        switch self {
        case .identity(let name): name.description
        case .unmatchable(let text): PrintableText.text(of: text)
        }
    }
}

/// The inputs to certificate policy processing (RFC 5280 §6.1.1 (c) to (g)).
public struct PolicyInputs: Sendable, Hashable {
    /// The policies acceptable to the caller; `nil` means anyPolicy.
    public var initialPolicies: Set<OID>?
    /// Whether the path must be valid for at least one of them.
    public var requiresExplicitPolicy: Bool
    /// Whether policies may not be mapped.
    public var inhibitsPolicyMapping: Bool
    /// Whether anyPolicy is ignored in certificates.
    public var inhibitsAnyPolicy: Bool

    /// Inputs; by default every policy is acceptable and no policy is required.
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

/// A request that the parts of one evaluation share: it holds a dozen references, and every copy would count all of them.
final class SharedRequest: Sendable {
    let value: ValidationRequest

    init(_ value: ValidationRequest) {
        self.value = value
    }
}
