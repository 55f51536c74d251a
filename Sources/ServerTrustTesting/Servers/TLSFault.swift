//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A thing that can be wrong, or right, with a TLS server.
public enum TLSFault: String, CaseIterable, Codable, Hashable, Sendable {
    /// Nothing is wrong; the leaf and its issuer have RSA keys.
    case goodRSA = "good-rsa"
    /// Nothing is wrong; all keys are P-256.
    case goodECDSA = "good-ecdsa"
    /// The leaf expired yesterday.
    case expired
    /// The leaf is valid from tomorrow on.
    case notYetValid = "not-yet-valid"
    /// The leaf is for another host.
    case wrongHost = "wrong-host"
    /// The leaf is signed with its own key.
    case selfSigned = "self-signed"
    /// The chain ends at an untrusted root.
    case unknownRoot = "unknown-root"
    /// The server does not send the intermediate.
    case missingIntermediate = "missing-intermediate"
    /// The leaf has an RSA key of 1024 bits.
    case weakRSA = "weak-rsa-1024"
    /// The leaf is signed with SHA-1.
    case sha1Signature = "sha1-signature"
    /// The leaf is for client authentication only.
    case wrongEKU = "wrong-eku"
    /// The intermediate may not issue for the host.
    case nameConstraintViolation = "name-constraint-violation"
    /// The leaf is valid for 900 days.
    case lifetimeOverLimit = "lifetime-over-limit"
    /// Nothing is wrong; the leaf is for the IP address.
    case ipAddressSAN = "ip-address-san"
    /// Nothing is wrong; a wildcard stands for one label.
    case wildcardMatch = "wildcard-match"
    /// The wildcard would have to stand for two labels.
    case wildcardMismatch = "wildcard-mismatch"
    /// Nothing is wrong with the chain, but the server speaks TLS 1.0 only.
    case tls10Only = "tls10-only"
}

extension TLSFault: NamedCase {
    static let kind = "fault"

    /// Finds a fault by its name, for tools and tests that read what they are about.
    ///
    /// - Parameter name: The raw value, such as `wrong-host`.
    /// - Throws: ``UnknownNameError``, which lists the names there are.
    public init(named name: String) throws(UnknownNameError) {
        self = try Self.find(name)
    }
}

extension TLSFault: CustomStringConvertible {
    /// The name of the fault, such as `wrong-host`.
    public var description: String {
        self.rawValue
    }
}

extension TLSFault {
    /// What a client that trusts the root and follows the rules of Apple's systems has to make of a server.
    public enum Expectation: String, Hashable, Sendable {
        /// The chain is to be trusted and the connection is good.
        case trusted
        /// The chain is to be trusted, but the version of TLS is too old.
        case trustedOverOldTLS = "trusted-over-old-tls"
        /// The chain is to be refused.
        case refused
    }

    /// What a client has to make of the server.
    public var expectation: Expectation {
        switch self {
        case .goodRSA, .goodECDSA, .ipAddressSAN, .wildcardMatch: .trusted
        case .tls10Only: .trustedOverOldTLS
        case .expired, .notYetValid, .wrongHost, .selfSigned, .unknownRoot, .missingIntermediate, .weakRSA,
            .sha1Signature, .wrongEKU, .nameConstraintViolation, .lifetimeOverLimit, .wildcardMismatch:
            .refused
        }
    }

    /// The DNS name or IP address the server's certificate is to be checked for.
    public var referenceIdentity: String {
        switch self {
        case .ipAddressSAN: "127.0.0.1"
        case .wildcardMatch: "a.wild.test"
        case .wildcardMismatch: "a.b.wild.test"
        default: "\(self.rawValue).range.test"
        }
    }

    /// What is the matter with the server, in one line.
    public var summary: String {
        switch self {
        case .goodRSA: "nothing wrong, RSA keys"
        case .goodECDSA: "nothing wrong, P-256 keys"
        case .expired: "the certificate expired yesterday"
        case .notYetValid: "the certificate is valid from tomorrow on"
        case .wrongHost: "the certificate is for another host"
        case .selfSigned: "the certificate is signed with its own key"
        case .unknownRoot: "the chain ends at an untrusted root"
        case .missingIntermediate: "the server does not send its intermediate certificate"
        case .weakRSA: "the certificate has an RSA key of only 1024 bits"
        case .sha1Signature: "the certificate is signed with SHA-1"
        case .wrongEKU: "the certificate is for client authentication only"
        case .nameConstraintViolation: "the intermediate may issue for .allowed.test only"
        case .lifetimeOverLimit: "the certificate is valid for 900 days"
        case .ipAddressSAN: "nothing wrong, the certificate is for an IP address"
        case .wildcardMatch: "nothing wrong, *.wild.test covers a.wild.test"
        case .wildcardMismatch: "*.wild.test does not cover a.b.wild.test"
        case .tls10Only: "a good chain, but the server speaks TLS 1.0 only"
        }
    }
}
