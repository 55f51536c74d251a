//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A fault of a TLS server, or the absence of one.
///
/// Every fault has an ``expectation`` for clients that follow the rules of Apple's systems. Start a server with one fault with
/// `withTestServer`, or one for each fault with `withTestServers`.
public enum TLSFault: String, CaseIterable, Codable, Hashable, Sendable {
    /// The server has no fault. The leaf and its issuer have RSA keys.
    case goodRSA = "good-rsa"
    /// The server has no fault. All keys are P-256.
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
    /// The server has no fault. The leaf is for the IP address.
    case ipAddressSAN = "ip-address-san"
    /// The server has no fault. A wildcard stands for one label.
    case wildcardMatch = "wildcard-match"
    /// The wildcard would have to stand for two labels.
    case wildcardMismatch = "wildcard-mismatch"
    /// Nothing is wrong with the chain, but the server speaks TLS 1.0 only.
    case tls10Only = "tls10-only"
}

extension TLSFault: NamedCase {
    static let kind = "fault"

    /// Finds a fault by its name, for tools and tests that read the name from their input.
    ///
    /// - Parameter name: The raw value, such as `wrong-host`.
    /// - Throws: ``UnknownNameError``, which lists the known names.
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
    /// The correct verdict of a client that trusts the root and follows the rules of Apple's systems.
    public enum Expectation: String, Hashable, Sendable {
        /// The client trusts the chain, and the connection is good.
        case trusted
        /// The client trusts the chain, but the version of TLS is too old.
        case trustedOverOldTLS = "trusted-over-old-tls"
        /// The client refuses the chain.
        case refused
    }

    /// The correct verdict of a client about the server.
    public var expectation: Expectation {
        switch self {
        case .goodRSA, .goodECDSA, .ipAddressSAN, .wildcardMatch: .trusted
        case .tls10Only: .trustedOverOldTLS
        case .expired, .notYetValid, .wrongHost, .selfSigned, .unknownRoot, .missingIntermediate, .weakRSA,
            .sha1Signature, .wrongEKU, .nameConstraintViolation, .lifetimeOverLimit, .wildcardMismatch:
            .refused
        }
    }

    /// The DNS name or IP address that a client checks the server's certificate against.
    public var referenceIdentity: String {
        switch self {
        case .ipAddressSAN: "127.0.0.1"
        case .wildcardMatch: "a.wild.test"
        case .wildcardMismatch: "a.b.wild.test"
        default: "\(self.rawValue).range.test"
        }
    }

    /// The fault in one line.
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
