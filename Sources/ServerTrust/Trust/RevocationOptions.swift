//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// How a revocation policy checks: the options of `SecPolicyCreateRevocation`, with Apple's values.
///
/// Where Apple's systems and this package differ: `crlMethod` works here, while Apple's systems of today read no lists
/// and take the option as a wish to leave OCSP out. The policy alone reads no network either:
/// ``Trust/evaluate()`` works with what is in ``Trust/revocation``, and only ``Trust/evaluate(fetching:_:)`` fetches.
public struct RevocationOptions: OptionSet, Sendable, Hashable {
    /// The bits, as Apple's headers have them.
    public let rawValue: UInt

    /// Options.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// OCSP responses are consulted: `kSecRevocationOCSPMethod`.
    public static let ocspMethod = RevocationOptions(rawValue: 1)
    /// Revocation lists are consulted: `kSecRevocationCRLMethod`.
    public static let crlMethod = RevocationOptions(rawValue: 2)
    /// Lists are fetched before OCSP responses, where both may be: `kSecRevocationPreferCRL`. What there is of either kind
    /// counts, whichever is preferred.
    public static let preferCRL = RevocationOptions(rawValue: 4)
    /// The leaf needs a valid answer that it is not revoked: `kSecRevocationRequirePositiveResponse`. Without one it is
    /// refused as ``TrustCheck/revocationResponseRequired``, which an exception can lift.
    public static let requirePositiveResponse = RevocationOptions(rawValue: 8)
    /// Nothing is fetched for the evaluation, issuers included, whatever other policies allow:
    /// `kSecRevocationNetworkAccessDisabled`.
    public static let networkAccessDisabled = RevocationOptions(rawValue: 16)
    /// Either method: `kSecRevocationUseAnyAvailableMethod`.
    public static let useAnyAvailableMethod: RevocationOptions = [.ocspMethod, .crlMethod]
}

extension RevocationOptions {
    /// The ways that were chosen. An empty set is a policy that consults nothing; Apple's function makes none of no options.
    private var methods: RevocationMethods {
        var methods: RevocationMethods = []
        if self.contains(.ocspMethod) { methods.insert(.ocsp) }
        if self.contains(.crlMethod) { methods.insert(.lists) }
        return methods
    }

    /// The engine's form of the options.
    ///
    /// - Parameter known: The policy whose lists and responses there are to consult.
    func policy(with known: RevocationPolicy) -> RevocationPolicy {
        var policy = known
        policy.mode = self.contains(.requirePositiveResponse) ? .leaf : .soft
        policy.methods = self.methods
        policy.prefersLists = self.contains(.preferCRL)
        policy.enforcesTLSFeature = false
        return policy
    }
}
