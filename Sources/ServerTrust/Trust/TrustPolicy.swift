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

    private init(_ purpose: PurposeRequirement.Purpose, _ hostname: String?) {
        self.hostname = hostname
        self.requirement = PurposeRequirement(
            purpose, identities: hostname.map { [IdentityRequirement(host: $0)] } ?? [])
    }
}
