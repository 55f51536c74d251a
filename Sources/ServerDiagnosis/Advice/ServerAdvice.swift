//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A change to a server, with its effect and the reason.
///
/// ``ServerDiagnosis/advice`` lists the changes. ``title`` and ``reason`` describe one, and ``snippet(for:)`` is its configuration
/// for a product.
public struct ServerAdvice: Sendable {
    /// The first change.
    public let kind: Kind
    /// The other changes that the same new certificate makes.
    public private(set) var others: [Kind] = []
    /// The reason from the facts, in one sentence.
    public let reason: String
    /// The questions with verdicts that the change remedies, or helps to remedy if there are several faults.
    public let subjects: [DiagnosisVerdict.Subject]
    /// The numbers of the tests that the change remedies, or helps to remedy.
    public let rows: [Int]

    let context: AdviceContext

    /// The kinds of change, in the order of the work. The key comes before the suites, which depend on it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The port does not speak TLS.
        case speakTLS = "speak-tls"
        /// The server has no site of the name.
        case site
        /// The server speaks no application protocol that Apple's systems offer.
        case applicationProtocols = "application-protocols"
        /// The server fails at a ClientHello that offers TLS 1.3.
        case newVersions = "tls-1.3-hello"
        /// The server fails at a ClientHello in more than one segment.
        case largeHello = "large-hello"
        /// The server fails at another part of the ClientHello.
        case hello = "client-hello"
        /// The key is of an unsuitable kind.
        case keyKind = "key-kind"
        /// The key is too small.
        case key
        /// The server speaks no version that is new enough.
        case version = "tls-version"
        /// The server accepts no allowed suite of TLS 1.2.
        case cipherSuites = "cipher-suites"
        /// The server accepts no allowed suite of TLS 1.3.
        case newSuites = "tls-1.3-suites"
        /// The server agrees on no group that Apple's systems offer.
        case groups
        /// The server signs the handshake with no algorithm that Apple's systems offer.
        case signatures
        /// The server lacks the extended master secret.
        case extendedMasterSecret = "extended-master-secret"
        /// A certificate is signed with a weaker digest than SHA-256.
        case digest
        /// The server does not send all intermediates.
        case chain
        /// The certificate has too few signatures of transparency logs.
        case transparency
        /// The certificate is not valid for the name.
        case name
        /// The certificate has expired.
        case renewal
        /// The certificate does not come from a trusted authority.
        case authority
        /// The certificate breaks another rule.
        case certificate
        /// The certificate of an authority breaks a rule.
        case authorityCertificate = "authority-certificate"
        /// A redirect leads to plain HTTP.
        case redirect
    }

    /// Returns the configuration for a server product, with further instructions in comments.
    public func snippet(for product: ServerProduct) -> String {
        let text = SnippetWriter(syntax: product.syntax, context: self.context).text(for: [self.kind] + self.others)
        let hasSettings = text.split(separator: "\n").contains { !$0.hasPrefix("#") }
        guard hasSettings, !product.isTested else { return text }
        return "# These settings follow the manual of \(product.title). No test has loaded them.\n\(text)"
    }

    init(
        _ kind: Kind, reason: String, subjects: [DiagnosisVerdict.Subject], rows: [Int], context: AdviceContext
    ) {
        self.kind = kind
        self.reason = reason
        self.subjects = subjects
        self.rows = rows
        self.context = context
    }
}

extension ServerAdvice {
    /// Returns the advice with the changes of other advice that the same new certificate makes.
    func merging(_ other: ServerAdvice) -> ServerAdvice {
        let reason = self.reason == other.reason ? self.reason : "\(self.reason) \(other.reason)"
        let subjects = self.subjects + other.subjects.filter { !self.subjects.contains($0) }
        let rows = Set(self.rows + other.rows).sorted()
        var merged = ServerAdvice(self.kind, reason: reason, subjects: subjects, rows: rows, context: self.context)
        merged.others = self.others + [other.kind] + other.others
        return merged
    }
}

extension ServerAdvice.Kind {
    var isOfNewCertificate: Bool {
        switch self {
        case .keyKind, .key, .digest, .transparency, .name, .renewal, .authority, .certificate: true
        default: false
        }
    }
}

extension ServerAdvice.Kind {
    /// The code of the fault, which is the code of `ATSViolation` if a violation has one.
    package var faultCode: String {
        switch self {
        case .version: "tls-version-too-old"
        case .cipherSuites: "cipher-suite"
        default: self.rawValue
        }
    }
}

/// The facts about a server that its settings depend on.
struct AdviceContext: Sendable {
    /// The host if it is safe in a command, otherwise an example.
    let host: String
    let isAddress: Bool
    /// The host names of the certificate that are safe in a command, such as `DNS:api.example.com`.
    let names: [String]
    /// The suites to add, the preferred one first.
    let suites: [CipherSuite]
    /// The server's suites of TLS 1.2 and older that are worth keeping, or `nil` if not all are known.
    let present: [CipherSuite]?
    /// `true` if a larger key must be an RSA key like the old one, so that the present suites still suit.
    let needsRSAKey: Bool
    let port: Int
    let sentName: Bool
    /// `true` if a new key is needed for other reasons than its kind and size.
    let needsNewKey: Bool
    /// The remedies for the certificates that the command of a request does not show.
    let certificateRemedies: [String]
    /// `true` if the authority of the certificate must not issue the new one.
    let needsOtherIssuer: Bool
    /// The remedies for authorities with a certificate that can be issued again.
    let authorityRemedies: [String]

    /// The subject alternative names of a request, such as `DNS:api.example.com`.
    var alternativeNames: String {
        let own = (self.isAddress ? "IP:" : "DNS:") + self.host
        return ([own] + self.names.filter { $0 != own }).joined(separator: ",")
    }
}

// All names of advice, in one table.
extension ServerAdvice {
    /// The change, in a few words.
    public var title: String {
        let further = self.others.map { "; " + $0.title.prefix(1).lowercased() + $0.title.dropFirst() }
        return self.kind.title + further.joined()
    }
}

extension ServerAdvice.Kind {
    /// The fault that the change remedies, in one sentence.
    package var fault: String {
        switch self {
        case .speakTLS: "Something else than TLS answers at the port."
        case .site: "The server knows no site of the name."
        case .applicationProtocols: "The server refuses the protocols that Apple's systems offer (ALPN)."
        case .newVersions: "The server fails at hellos that offer TLS 1.3."
        case .largeHello: "The server fails at hellos that come in two segments, as Apple's systems send them."
        case .hello: "The server fails at the hello of Apple's systems, and answers others."
        case .version: "The server speaks no version of TLS that Apple's systems accept."
        case .cipherSuites: "The server takes no cipher suite of TLS 1.2 that App Transport Security allows."
        case .newSuites: "The server takes no cipher suite of TLS 1.3 that App Transport Security allows."
        case .groups: "The server agrees on keys in no group that Apple's systems offer."
        case .signatures: "The server signs the handshake with no algorithm that Apple's systems offer."
        case .keyKind: "The server's key is of a kind that Apple's systems do not offer to verify."
        case .extendedMasterSecret: "The server does not bind keys of TLS 1.2 to the handshake (RFC 7627)."
        case .key: "The server's key is smaller than App Transport Security allows."
        case .digest: "A certificate is signed over a weaker digest than SHA-256."
        case .chain: "The server does not send all intermediates of its chain."
        case .transparency: "Too few logs of certificate transparency have signed the certificate."
        case .name: "The certificate does not have the host's name."
        case .renewal: "The certificate has ended, or has not begun."
        case .authority: "The chain ends at no authority that is trusted."
        case .certificate: "The certificate breaks a rule that another certificate can keep."
        case .authorityCertificate: "The certificate of an authority breaks a rule."
        case .redirect: "The server redirects to plain HTTP."
        }
    }

    package var title: String {
        switch self {
        case .speakTLS: "Speak TLS at this port"
        case .site: "Set up a site of this name"
        case .applicationProtocols: "Speak HTTP/2 or HTTP/1.1"
        case .newVersions: "Answer hellos that offer TLS 1.3"
        case .largeHello: "Read hellos that come in two segments"
        case .hello: "Answer the hello of Apple's systems"
        case .version: "Speak TLS 1.2 and TLS 1.3"
        case .cipherSuites: "Take ECDHE with AES-GCM"
        case .newSuites: "Take TLS 1.3's suites with AES-GCM"
        case .keyKind: "Use a key of RSA, or on P-256 or P-384"
        case .groups: "Agree on keys in X25519, P-256 or P-384"
        case .signatures: "Sign the handshake over SHA-256"
        case .extendedMasterSecret: "Have TLS 1.3, or the extended master secret"
        case .key: "Use a larger key"
        case .digest: "Have certificates signed over SHA-256"
        case .chain: "Send the whole chain"
        case .transparency: "Have the certificate logged"
        case .name: "Have the host's name in the certificate"
        case .renewal: "Renew the certificate"
        case .authority: "Use a certificate of an authority that is trusted"
        case .certificate: "Have another certificate issued"
        case .authorityCertificate: "Have the authority's certificate made again"
        case .redirect: "Redirect to https only"
        }
    }
}
