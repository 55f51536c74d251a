//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A policy that a certificate must satisfy: the equivalent of Apple's `SecPolicy`.
///
/// The policy names the purpose of the certificate, a TLS server for instance, and the host name that it must match. Use the
/// policies as ``Trust/policies``. A trust evaluation with several policies must satisfy all of them.
public struct TrustPolicy: Sendable, Hashable {
    /// The engine's form of the policy.
    public var requirement: PurposeRequirement

    /// The host name that the policy checks, as it was given, or `nil` if it checks no name.
    public let hostname: String?

    /// The options of the revocation check, or `nil` if the policy does not require one.
    public private(set) var revocationOptions: RevocationOptions?

    /// Returns the policy for a TLS server: `SecPolicyCreateSSL(true, hostname)`.
    ///
    /// - Parameter hostname: A host name or IP address, as in a URL, or `nil` to check no name. Any other text makes every
    ///   certificate fail.
    public static func tlsServer(hostname: String?) -> TrustPolicy {
        TrustPolicy(.server, hostname)
    }

    /// Returns the policy for a TLS client: `SecPolicyCreateSSL(false, hostname)`.
    ///
    /// - Parameter hostname: A name that the client's certificate must match, or `nil` to check no name.
    public static func tlsClient(hostname: String? = nil) -> TrustPolicy {
        TrustPolicy(.client, hostname)
    }

    /// The policy for a valid path of any purpose: `SecPolicyCreateBasicX509`.
    public static let basicX509 = TrustPolicy(.any, nil)

    /// Returns a policy that checks revocation, for use with another policy in ``Trust/policies``: `SecPolicyCreateRevocation`.
    ///
    /// Alone it also checks the rules of ``basicX509``. Each revocation policy and ``Trust/revocation`` must be satisfied. No
    /// policy weakens another.
    ///
    /// - Parameter options: The evidence to consult, and the requirements.
    public static func revocation(_ options: RevocationOptions) -> TrustPolicy {
        var policy = TrustPolicy(.any, nil)
        policy.revocationOptions = options
        return policy
    }

    private init(_ purpose: PurposeRequirement.Purpose, _ hostname: String?) {
        self.hostname = hostname
        self.requirement = PurposeRequirement(
            purpose, identities: hostname.map { [IdentityRequirement(host: $0)] } ?? [])
    }
}
