//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ConfigurationDocuments
package import ServerTrust

/// A configuration profile (`.mobileconfig`) with the servers, certificates and rules that it installs.
package struct ConfigurationProfile: Sendable {
    /// The signature of a profile.
    package enum Signature: Sendable {
        case none
        /// The profile is signed. Each signer has a name, an outcome in words, and `true` if its signature is valid.
        case signed([(name: String, outcome: String, isValid: Bool)])
    }

    /// A certificate of the profile.
    package struct CertificatePayload: Sendable {
        package let uuid: String
        package let name: String
        package let certificate: Certificate
        /// `true` if the certificate is installed as a root, because it is self-signed.
        package let isRoot: Bool
    }

    package let name: String
    package let signature: Signature
    package let payloads: Int
    package let enrols: Bool
    package let servers: [ProfileServer]
    package let certificates: [CertificatePayload]
    /// The problems that prevent the installation, and the parts that are not read.
    package let issues: [ProfileIssue]
    /// The hosts and keys that are exempt from certificate transparency.
    package let transparencyExemptions: TransparencyExemptions
    /// The keys of authorities below which revocation must give an answer, as SHA-256 digests of a SubjectPublicKeyInfo.
    package let revocationKeys: [[UInt8]]

    /// The hosts and keys that are exempt from certificate transparency (`com.apple.security.certificatetransparency`).
    package struct TransparencyExemptions: Sendable {
        /// The exempt host names. A name with a leading dot stands for all hosts below it.
        package var domains: [String] = []
        /// SHA-256 digests of the SubjectPublicKeyInfo of a server or an authority.
        package var keys: [[UInt8]] = []

        package func covers(_ host: String) -> Bool {
            let host = host.lowercased()
            return self.domains.contains {
                $0.hasPrefix(".") ? host.hasSuffix($0.lowercased()) : host == $0.lowercased()
            }
        }
    }

    /// `true` if no known problem prevents the installation.
    package var installs: Bool { !self.issues.contains(where: \.isFatal) }

    /// The certificates that are installed as roots.
    ///
    /// A profile that devices do not install brings none: an attacker may have changed a profile with an invalid signature.
    package var roots: [Certificate] {
        self.installs ? self.certificates.filter(\.isRoot).map(\.certificate) : []
    }

    /// Returns `true` if the octets are a property list with payloads, plain or in a signed message.
    package static func isProfile(_ octets: [UInt8]) -> Bool {
        if SignedMessage.isSigned(octets) {
            return (try? SignedMessage(octets)).map { Self.isPlainProfile($0.content) } ?? false
        }
        return Self.isPlainProfile(octets)
    }

    /// Returns `true` if unsigned octets are a profile. Devices read one signed message, so that messages within it are not opened.
    private static func isPlainProfile(_ octets: [UInt8]) -> Bool {
        guard FileKind(of: octets) == .propertyList else { return false }
        return octets.firstRange(of: "PayloadContent".utf8) != nil || octets.firstRange(of: "PayloadType".utf8) != nil
    }

    /// Reads a profile.
    ///
    /// - Parameter octets: The profile as an XML or binary property list, plain or in a signed message.
    /// - Throws: ``ProfileError`` if the octets are not a profile that can be read.
    package init(_ octets: [UInt8]) throws(ProfileError) {
        guard !SignedMessage.isEnveloped(octets) else { throw ProfileError(.encrypted) }
        var content = octets
        var signature = Signature.none
        if SignedMessage.isSigned(octets) {
            let message: SignedMessage
            do { message = try SignedMessage(octets) } catch { throw ProfileError(.message(error)) }
            content = message.content
            signature = .signed(message.signers.map(\.summary))
        }
        let root: DocumentNode
        do { root = try PropertyListDocument.parse(content) } catch { throw ProfileError(.propertyList(error)) }
        var reader = try ProfileReader(root)
        try reader.read()
        self.name = reader.name
        self.signature = signature
        self.payloads = reader.payloads
        self.enrols = reader.enrols
        self.servers = reader.servers
        self.certificates = reader.certificates
        self.transparencyExemptions = reader.exemptions
        self.revocationKeys = reader.revocationKeys
        self.issues = reader.issues + signature.issues
    }

    package func certificates(_ uuids: [String]) -> [Certificate] {
        self.certificates.filter { !$0.uuid.isEmpty && uuids.contains($0.uuid) }.map(\.certificate)
    }
}

extension SignedMessage.Signer {
    /// The signer's name and the outcome of its signature in words.
    fileprivate var summary: (name: String, outcome: String, isValid: Bool) {
        let name = self.certificate.map { Certificate($0).subjectSummary } ?? "an unknown signer"
        return switch self.signature {
        case .valid: (name, "the signature is valid", true)
        case .invalid: (name, "the signature is over something else, or of another key", false)
        case .noCertificate: (name, "the signer's certificate is missing", false)
        case .unsupported: (name, "the signature is of an algorithm that is not verified", false)
        }
    }
}

extension ConfigurationProfile.Signature {
    fileprivate var issues: [ProfileIssue] {
        guard case .signed(let signers) = self else { return [] }
        if signers.isEmpty { return [ProfileIssue(.signature, "The message around the profile has no signature.")] }
        return signers.filter { !$0.isValid }.map {
            ProfileIssue(.signature, "Signed by “\($0.name)”: \($0.outcome). Devices refuse the profile.")
        }
    }
}

/// A problem that prevents the installation of a profile, or a part of the profile that is not read.
package struct ProfileIssue: Sendable, Hashable {
    /// The kind of an issue.
    package enum Code: String, Sendable {
        case signature = "profile-signature"
        case encrypted = "encrypted-payload"
        case noIdentity = "no-identity"
        case unknownPin = "unknown-pin"
        case certificate = "unreadable-certificate"
        /// A value is not of the type that devices read.
        case value = "unreadable-value"
        /// The structure of the profile or of the payload of management is not the one that devices read.
        case malformed = "malformed-profile"
        /// The profile exceeds a limit of this reader.
        case tooMuch = "too-much"
    }

    package let code: Code
    package let message: String

    /// `true` if devices do not install a profile with this problem.
    package var isFatal: Bool {
        switch self.code {
        // The parts beyond a limit are unknown and may be anything.
        case .signature, .noIdentity, .unknownPin, .malformed, .tooMuch: true
        case .encrypted, .certificate, .value: false
        }
    }

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

/// An error that explains why a file is not read as a configuration profile.
package struct ProfileError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error.
    enum Reason: Sendable {
        case encrypted
        case message(DERError)
        case propertyList(DocumentError)
        case notProfile(String)
    }

    private let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    /// The problem and its remedy.
    package var description: String {
        switch self.reason {
        case .encrypted: "the profile is encrypted for one device. Give it as it was before"
        case .message(let error):
            "the signed message around the profile cannot be read, \(error). Export the profile again"
        case .propertyList(let error):
            "the profile is no property list that can be read: \(error.message). Export it again"
        case .notProfile(let what): "\(what). Give a configuration profile, as device management exports it"
        }
    }
}
