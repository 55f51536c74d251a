//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ConfigurationDocuments
package import ServerTrust

/// A configuration profile (`.mobileconfig`): the servers, the certificates and the rules that it installs.
package struct ConfigurationProfile: Sendable {
    /// The signature of a profile.
    package enum Signature: Sendable {
        /// It is not signed.
        case none
        /// It is signed, with what came of each signature.
        case signed([(name: String, outcome: String, isValid: Bool)])
    }

    /// A certificate of the profile.
    package struct CertificatePayload: Sendable {
        /// The payload, in lower case.
        package let uuid: String
        /// The name of the payload.
        package let name: String
        /// The certificate.
        package let certificate: Certificate
        /// True if it is installed as a root: self-signed, in a payload for roots.
        package let isRoot: Bool
    }

    /// The name that people see.
    package let name: String
    package let signature: Signature
    /// The payloads.
    package let payloads: Int
    /// True if it enrolls a device in management.
    package let enrols: Bool
    /// The servers, each with the payload that names it.
    package let servers: [ProfileServer]
    /// The certificates.
    package let certificates: [CertificatePayload]
    /// Problems that prevent the installation, and parts that are not read.
    package let issues: [ProfileIssue]
    /// The hosts and keys that need no certificate transparency.
    package let transparencyExemptions: TransparencyExemptions
    /// The keys of authorities below which revocation must give an answer: SHA-256 of a SubjectPublicKeyInfo.
    package let revocationKeys: [[UInt8]]

    /// The hosts and keys that need no certificate transparency (`com.apple.security.certificatetransparency`).
    package struct TransparencyExemptions: Sendable {
        /// Names; with a leading dot, those below.
        package var domains: [String] = []
        /// SHA-256 of a SubjectPublicKeyInfo, of the server or of an authority.
        package var keys: [[UInt8]] = []

        /// True if a host is exempt.
        package func covers(_ host: String) -> Bool {
            let host = host.lowercased()
            return self.domains.contains {
                $0.hasPrefix(".") ? host.hasSuffix($0.lowercased()) : host == $0.lowercased()
            }
        }
    }

    /// True if no problem is known that prevents the installation.
    package var installs: Bool { !self.issues.contains(where: \.isFatal) }

    /// The certificates that are installed as roots. A profile that devices do not install brings none: anyone may have changed
    /// one whose signature does not hold.
    package var roots: [Certificate] {
        self.installs ? self.certificates.filter(\.isRoot).map(\.certificate) : []
    }

    /// True if octets are a profile: a property list with payloads, signed or not.
    package static func isProfile(_ octets: [UInt8]) -> Bool {
        if SignedMessage.isSigned(octets) {
            return (try? SignedMessage(octets)).map { Self.isPlainProfile($0.content) } ?? false
        }
        return Self.isPlainProfile(octets)
    }

    /// Devices read one message. Each level within it would cost as much again.
    private static func isPlainProfile(_ octets: [UInt8]) -> Bool {
        guard FileKind(of: octets) == .propertyList else { return false }
        return octets.firstRange(of: "PayloadContent".utf8) != nil || octets.firstRange(of: "PayloadType".utf8) != nil
    }

    /// Reads a profile.
    ///
    /// - Parameter octets: XML or binary, plain or in a signed message.
    /// - Throws: ``ProfileError``
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
        self.servers = reader.linkedServers
        self.certificates = reader.certificates
        self.transparencyExemptions = reader.exemptions
        self.revocationKeys = reader.revocationKeys
        self.issues = reader.issues + signature.issues
    }

    /// The certificates of a profile that pins name, by the payload's identifier.
    package func certificates(_ uuids: [String]) -> [Certificate] {
        self.certificates.filter { !$0.uuid.isEmpty && uuids.contains($0.uuid) }.map(\.certificate)
    }
}

extension SignedMessage.Signer {
    /// The signer in words.
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

/// Something in a profile that keeps it from being installed, or that is not read.
package struct ProfileIssue: Sendable, Hashable {
    /// The kinds of issues.
    package enum Code: String, Sendable {
        /// A signature does not hold.
        case signature = "profile-signature"
        /// A payload is encrypted.
        case encrypted = "encrypted-payload"
        /// Management has no identity.
        case noIdentity = "no-identity"
        /// A pin names no certificate of the profile.
        case unknownPin = "unknown-pin"
        /// A certificate cannot be read.
        case certificate = "unreadable-certificate"
        /// A value is not of the kind that devices read.
        case value = "unreadable-value"
        /// The profile, or the payload of management, is not written as devices read it.
        case malformed = "malformed-profile"
        /// There is more than is read.
        case tooMuch = "too-much"
    }

    /// The kind.
    package let code: Code
    /// The problem, in a sentence or two.
    package let message: String

    /// True if devices do not install a profile with this problem.
    package var isFatal: Bool {
        switch self.code {
        // What is not read may be anything.
        case .signature, .noIdentity, .unknownPin, .malformed, .tooMuch: true
        case .encrypted, .certificate, .value: false
        }
    }

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

/// The reason for not reading a file as a configuration profile.
package struct ProfileError: Error, Sendable, CustomStringConvertible {
    /// The reasons.
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
