//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// What a certificate is to be trusted for: what `SecPolicy` is on Apple's systems.
public struct TrustPolicy: Sendable, Hashable {
    /// The engine's form of the policy.
    public var requirement: PurposeRequirement

    /// The host name the policy checks, as it was given; `nil` when it checks none.
    public let hostname: String?

    /// How revocation is checked; `nil` when the policy does not ask for it.
    public private(set) var revocationOptions: RevocationOptions?

    /// A TLS server: `SecPolicyCreateSSL(true, hostname)`.
    ///
    /// - Parameter hostname: A host name or IP address, as in a URL; `nil` checks no name. Anything that is neither makes
    ///   every certificate fail, never pass.
    public static func tlsServer(hostname: String?) -> TrustPolicy {
        TrustPolicy(.server, hostname)
    }

    /// A TLS client: `SecPolicyCreateSSL(false, hostname)`.
    ///
    /// - Parameter hostname: A name the client's certificate must be for; `nil` checks none.
    public static func tlsClient(hostname: String? = nil) -> TrustPolicy {
        TrustPolicy(.client, hostname)
    }

    /// A valid path and nothing more: `SecPolicyCreateBasicX509`.
    public static let basicX509 = TrustPolicy(.any, nil)

    /// Revocation is checked: `SecPolicyCreateRevocation`, to stand beside another policy in ``Trust/policies``.
    ///
    /// Alone it also checks what ``basicX509`` does. Several revocation policies, and ``Trust/revocation``, must each be
    /// content; none weakens another.
    ///
    /// - Parameter options: What is consulted and what is required.
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
