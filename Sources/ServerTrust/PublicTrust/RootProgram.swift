//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The anchors of a program of public roots, with the uses for which they are anchors.
///
/// ``admits(_:for:)`` applies the program to a certificate. ``AppleTrustData/program`` is Apple's.
public struct RootProgram: Sendable, Hashable {
    /// The uses of an anchor, with the identifiers of Apple's policies.
    public enum Use: String, Sendable, Hashable, CaseIterable {
        /// The use of Apple's policy for basic X.509.
        case basicX509 = "1.2.840.113635.100.1.2"
        /// The authentication of TLS servers.
        case tlsServer = "1.2.840.113635.100.1.3.1"
        /// The authentication of TLS clients.
        case tlsClient = "1.2.840.113635.100.1.3.2"
    }

    /// SHA-256 fingerprints of the program's roots.
    public var roots: Set<[UInt8]>
    /// The identifiers of the policies that constrain a root, by its fingerprint. A root without an entry, or with an empty set,
    /// may be used for every policy (SecAnchorCache.m `anchorRecordsPermitttedForPolicy`).
    public var policies: [[UInt8]: Set<String>]

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - roots: SHA-256 fingerprints of its roots.
    ///   - policies: The identifiers of the policies that constrain roots, by their fingerprints.
    public init(roots: Set<[UInt8]>, policies: [[UInt8]: Set<String>] = [:]) {
        self.roots = roots
        self.policies = policies
    }

    /// Returns `true` if a certificate is an anchor for the use: one of the program's roots, self-signed (SecPolicyServer.c
    /// `SecPVCIsAnchorPerConstraints`), and not constrained to other uses.
    public func admits(_ certificate: Certificate, for use: Use) -> Bool {
        let fingerprint = certificate.sha256Fingerprint
        guard self.roots.contains(fingerprint), certificate.isSelfSigned else { return false }
        let allowed = self.policies[fingerprint] ?? []
        return allowed.isEmpty || allowed.contains(use.rawValue)
    }
}

/// Apple's own anchors, which are exempt from certificate transparency (SecAppleAnchor.c `getAnchors`).
public enum AppleAnchors {
    /// SHA-256 fingerprints of Apple Root CA, its G2 and G3, and Platform Backport RSA and ECC G1.
    public static let fingerprints: Set<[UInt8]> = Set(
        [
            "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
            "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
            "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            "fb3f6cf69467b5fa9ffa2b3b392b6e5e775bbb09c77b6e759e9038e26bbf9049",
            "eda23b3f224f45e0952f20e4d2b33e000d49c8044c1168de47b443cd2b3536dc",
        ].compactMap(Fingerprint.octets))
}

/// A parser of SHA-256 fingerprints in hexadecimal.
public enum Fingerprint {
    /// Returns the 32 octets of 64 hexadecimal digits in any case, or `nil` for other text.
    public static func octets(_ text: String) -> [UInt8]? {
        text.utf8.count == 64 ? [UInt8](hexadecimal: text.utf8) : nil
    }
}
