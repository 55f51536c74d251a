//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import ServerTrust

/// Something that a certificate is to be trusted for.
public final class SecPolicy: Sendable, Hashable {
    /// The policy as a value.
    public let policy: TrustPolicy

    /// The policy of a value.
    public init(_ policy: TrustPolicy) { self.policy = policy }

    /// True if two policies have the same requirements.
    public static func == (left: SecPolicy, right: SecPolicy) -> Bool { left === right || left.policy == right.policy }

    /// Feeds what is asked for.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.policy) }
}

extension SecPolicy: CustomStringConvertible {
    /// The identifier, and the name that is checked.
    public var description: String {
        "<SecPolicy \(self.policy.identifier)\(self.policy.hostname.map { " for \($0)" } ?? "")>"
    }
}

extension TrustPolicy {
    /// Apple's identifier of the policy.
    fileprivate var identifier: CFString {
        guard self.revocationOptions == nil else { return kSecPolicyAppleRevocation }
        return self.requirement.purpose == .any ? kSecPolicyAppleX509Basic : kSecPolicyAppleSSL
    }
}

/// A policy of a valid path and nothing more.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basicX509) }

/// A policy of TLS.
///
/// - Parameters:
///   - server: Whether the certificate is a server's.
///   - hostname: The name or address that it must be for; `nil` checks none. What is neither makes every certificate fail.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(server ? .tlsServer(hostname: hostname) : .tlsClient(hostname: hostname))
}

/// A policy about revocation, to stand beside another.
///
/// - Parameter revocationFlags: The bits of `kSecRevocation…`.
/// - Returns: `nil` for no bits, and for bits that Apple's headers do not have.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    guard revocationFlags != 0, revocationFlags >> 5 == 0 else { return nil }
    return SecPolicy(.revocation(RevocationOptions(rawValue: revocationFlags)))
}

/// A policy by its identifier.
///
/// - Parameters:
///   - policyIdentifier: One of `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` and `kSecPolicyAppleRevocation`.
///   - properties: The name, whether the certificate is a client's, and the bits of revocation.
/// - Returns: `nil` for other identifiers, and for an identifier or a name that is no text: no check is left out in silence.
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
    /// Yes or no, and no where nothing is said; `nil` for anything else.
    fileprivate func flag(_ key: String) -> Bool? {
        guard let value = self[key] else { return false }
        return value as? Bool ?? (value as? NSNumber)?.boolValue
    }

    /// Bits as any type of number.
    fileprivate func flags(_ key: String) -> CFOptionFlags? {
        guard let value = self[key] else { return nil }
        return value as? UInt ?? (value as? Int).flatMap { UInt(exactly: $0) } ?? (value as? NSNumber)?.uintValue
    }
}

/// Returns the requirements of a policy, by the names of `kSecPolicy…`.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    let policy = policyRef.policy
    var properties: CFDictionary = [kSecPolicyOid: policy.identifier]
    properties[kSecPolicyName] = policy.hostname
    if policy.requirement.purpose == .client { properties[kSecPolicyClient] = true }
    return properties
}
