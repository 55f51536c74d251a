//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The options of a revocation policy: those of `SecPolicyCreateRevocation`, with Apple's values.
///
/// This package differs from Apple's systems in one option. `crlMethod` works here. Apple's current systems read no lists and take
/// the option as a request to leave OCSP out. The policy alone never uses the network: ``Trust/evaluate()`` works with the data in
/// ``Trust/revocation``, and only ``Trust/evaluate(fetching:_:)`` fetches.
public struct RevocationOptions: OptionSet, Sendable, Hashable {
    /// The bits, with the values of Apple's headers.
    public let rawValue: UInt

    /// Creates options from Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Consult OCSP responses: `kSecRevocationOCSPMethod`.
    public static let ocspMethod = RevocationOptions(rawValue: 1)
    /// Consult revocation lists: `kSecRevocationCRLMethod`.
    public static let crlMethod = RevocationOptions(rawValue: 2)
    /// Fetch lists before OCSP responses if both are allowed: `kSecRevocationPreferCRL`. Available evidence of either kind counts,
    /// whichever is preferred.
    public static let preferCRL = RevocationOptions(rawValue: 4)
    /// Require a valid answer that the leaf is not revoked: `kSecRevocationRequirePositiveResponse`. Without one the leaf is
    /// refused as ``TrustCheck/revocationResponseRequired``, which an exception can lift.
    public static let requirePositiveResponse = RevocationOptions(rawValue: 8)
    /// Fetch nothing for the evaluation, issuers included, even if other policies allow it: `kSecRevocationNetworkAccessDisabled`.
    public static let networkAccessDisabled = RevocationOptions(rawValue: 16)
    /// Consult either method: `kSecRevocationUseAnyAvailableMethod`.
    public static let useAnyAvailableMethod: RevocationOptions = [.ocspMethod, .crlMethod]
}

extension RevocationOptions {
    /// The selected methods. With an empty set the policy consults nothing, while Apple's function creates no policy at all.
    private var methods: RevocationMethods {
        var methods: RevocationMethods = []
        if self.contains(.ocspMethod) { methods.insert(.ocsp) }
        if self.contains(.crlMethod) { methods.insert(.lists) }
        return methods
    }

    /// Returns the engine's form of the options.
    ///
    /// - Parameter known: The policy with the available lists and responses.
    func policy(with known: RevocationPolicy) -> RevocationPolicy {
        var policy = known
        policy.mode = self.contains(.requirePositiveResponse) ? .leaf : .soft
        policy.methods = self.methods
        policy.prefersLists = self.contains(.preferCRL)
        policy.enforcesTLSFeature = false
        return policy
    }
}
