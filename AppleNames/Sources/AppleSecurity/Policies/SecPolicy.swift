//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import ServerTrust

/// The requirements that a certificate is evaluated for.
///
/// ``SecPolicyCreateSSL(_:_:)`` creates the policy for a TLS server. Several policies can be combined in a ``SecTrust``, and all
/// of them must be met.
public final class SecPolicy: Sendable, Hashable {
    /// The policy as a value.
    public let policy: TrustPolicy

    /// Creates a policy from a value.
    public init(_ policy: TrustPolicy) { self.policy = policy }

    /// Returns `true` if two policies have the same requirements.
    public static func == (left: SecPolicy, right: SecPolicy) -> Bool { left === right || left.policy == right.policy }

    /// Hashes the requirements.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.policy) }
}

extension SecPolicy: CustomStringConvertible {
    /// The identifier and the required name.
    public var description: String {
        "<SecPolicy \(self.policy.identifier)\(self.policy.hostname.map { " for \($0)" } ?? "")>"
    }
}

extension TrustPolicy {
    fileprivate var identifier: CFString {
        guard self.revocationOptions == nil else { return kSecPolicyAppleRevocation }
        return self.requirement.purpose == .any ? kSecPolicyAppleX509Basic : kSecPolicyAppleSSL
    }
}

/// Creates a policy that requires only a valid path.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basicX509) }

/// Creates a policy for TLS.
///
/// - Parameters:
///   - server: `true` for the certificate of a server, `false` for that of a client.
///   - hostname: The DNS name or IP address that the certificate must match, or `nil` to check no name. With any other text every
///     certificate fails.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(server ? .tlsServer(hostname: hostname) : .tlsClient(hostname: hostname))
}

/// Creates a revocation policy, to be combined with another policy.
///
/// - Parameter revocationFlags: The flags `kSecRevocation…`.
/// - Returns: The policy, or `nil` without flags and for flags that Apple's headers do not define.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    guard revocationFlags != 0, revocationFlags >> 5 == 0 else { return nil }
    return SecPolicy(.revocation(RevocationOptions(rawValue: revocationFlags)))
}

/// Creates a policy by its identifier.
///
/// - Parameters:
///   - policyIdentifier: One of `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` and `kSecPolicyAppleRevocation`.
///   - properties: The required name, the Boolean value for a client's certificate, and the revocation flags.
/// - Returns: The policy, or `nil` for other identifiers, and for an identifier or a name that is not text. No check is omitted
///   silently.
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    let properties = properties ?? [:]
    switch policyIdentifier as? String {
    case kSecPolicyAppleX509Basic?: return SecPolicyCreateBasicX509()
    case kSecPolicyAppleRevocation?:
        return properties.flags(kSecPolicyRevocationFlags).flatMap { SecPolicyCreateRevocation($0) }
    case kSecPolicyAppleSSL?:
        let name = properties[kSecPolicyName]
        guard name == nil || name is String, let isClient = properties.flag(kSecPolicyClient) else { return nil }
        return SecPolicyCreateSSL(!isClient, name as? String)
    default: return nil
    }
}

extension CFDictionary {
    /// Returns a Boolean value, which is `false` if the key is missing, or `nil` for a value of another type.
    fileprivate func flag(_ key: String) -> Bool? {
        guard let value = self[key] else { return false }
        return value as? Bool ?? (value as? NSNumber)?.boolValue
    }

    /// Returns flags from any type of number.
    fileprivate func flags(_ key: String) -> CFOptionFlags? {
        guard let value = self[key] else { return nil }
        return value as? UInt ?? (value as? Int).flatMap { UInt(exactly: $0) } ?? (value as? NSNumber)?.uintValue
    }
}

/// Returns the requirements of a policy, with the keys `kSecPolicy…`.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    let policy = policyRef.policy
    var properties: CFDictionary = [kSecPolicyOid: policy.identifier]
    properties[kSecPolicyName] = policy.hostname
    if policy.requirement.purpose == .client { properties[kSecPolicyClient] = true }
    return properties
}
