//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// One thing to change at a server, with what it mends and why.
public struct ServerAdvice: Sendable {
    /// The first thing to change.
    public let kind: Kind
    /// The other things that the same new certificate changes.
    public private(set) var others: [Kind] = []
    /// Why, in one sentence, from what was found out.
    public let reason: String
    /// The questions whose answer it changes, or helps to change where several things are wrong.
    public let subjects: [DiagnosisVerdict.Subject]
    /// The tests, by their numbers, that it mends or helps to mend.
    public let rows: [Int]

    let context: AdviceContext

    /// What there is to change, in the order of the work: the key before the suites, which go with it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// TLS has to be spoken at all.
        case speakTLS = "speak-tls"
        /// There has to be a site of the name.
        case site
        /// The server has to speak a protocol that Apple's systems offer.
        case applicationProtocols = "application-protocols"
        /// Hellos that offer TLS 1.3 have to be answered.
        case newVersions = "tls-1.3-hello"
        /// Hellos in more than one segment have to be answered.
        case largeHello = "large-hello"
        /// The key has to be of another kind.
        case keyKind = "key-kind"
        /// The key has to be larger.
        case key
        /// A newer version has to be spoken.
        case version = "tls-version"
        /// Other suites have to be taken.
        case cipherSuites = "cipher-suites"
        /// Other suites of TLS 1.3 have to be taken.
        case newSuites = "tls-1.3-suites"
        /// Keys have to be agreed on in other groups.
        case groups
        /// The handshake has to be signed otherwise.
        case signatures
        /// Keys have to be bound to the handshake.
        case extendedMasterSecret = "extended-master-secret"
        /// Certificates have to be signed over SHA-256.
        case digest
        /// The intermediates have to be sent.
        case chain
        /// Logs of certificate transparency have to sign the certificate.
        case transparency
        /// The certificate has to be for the name.
        case name
        /// The certificate has to be renewed.
        case renewal
        /// The certificate has to come from an authority that is trusted.
        case authority
        /// The certificate has to be another, for other reasons.
        case certificate
        /// An authority's own certificate has to be made again.
        case authorityCertificate = "authority-certificate"
        /// Redirects have to lead to https.
        case redirect
    }

    /// What to put into the configuration of a server, and what to do besides in comments.
    public func snippet(for product: ServerProduct) -> String {
        SnippetWriter(syntax: product.syntax, context: self.context).text(for: [self.kind] + self.others)
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
    /// The same, with what other advice changes by the same new certificate.
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
    /// True if a new certificate for the server brings the change.
    var isOfNewCertificate: Bool {
        switch self {
        case .keyKind, .key, .digest, .transparency, .name, .renewal, .authority, .certificate: true
        default: false
        }
    }
}

extension ServerAdvice.Kind {
    /// The code of the fault that the advice mends: that of `ATSViolation` where a violation has one.
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
    /// The host, if it can be written into a command; otherwise one for examples.
    let host: String
    /// Whether the host is an address.
    let isAddress: Bool
    /// The names of the certificate that can be written into a command and count for a host: `DNS:api.example.com`.
    let names: [String]
    /// The suites to add, the preferred first.
    let suites: [CipherSuite]
    /// The suites of TLS 1.2 and older that it takes and that are worth keeping; `nil` where not all are known.
    let present: [CipherSuite]?
    /// Whether a larger key is to be one of RSA, as the old one, so that suites go on fitting.
    let needsRSAKey: Bool
    /// The port that was asked.
    let port: Int
    let sentName: Bool
    /// True if a new key is needed for other reasons than its kind and size.
    let needsNewKey: Bool
    /// The remedies of the reasons against the certificates, which a request alone does not show.
    let certificateRemedies: [String]
    /// True if the authority of the certificate may not issue the new one.
    let needsOtherIssuer: Bool
    /// The remedies of the reasons against authorities that can be made again.
    let authorityRemedies: [String]

    /// `DNS:api.example.com`, for a request.
    var alternativeNames: String {
        let own = (self.isAddress ? "IP:" : "DNS:") + self.host
        return ([own] + self.names.filter { $0 != own }).joined(separator: ",")
    }
}

// The one table of what advice is called.
extension ServerAdvice {
    /// What to do, in a few words.
    public var title: String {
        let further = self.others.map { "; " + $0.title.prefix(1).lowercased() + $0.title.dropFirst() }
        return self.kind.title + further.joined()
    }
}

extension ServerAdvice.Kind {
    /// What is wrong where it is advised, in one sentence.
    package var fault: String {
        switch self {
        case .speakTLS: "Something else than TLS answers at the port."
        case .site: "The server knows no site of the name."
        case .applicationProtocols: "The server refuses the protocols that Apple's systems offer (ALPN)."
        case .newVersions: "The server fails at hellos that offer TLS 1.3."
        case .largeHello: "The server fails at hellos that come in two segments, as Apple's systems send them."
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

    /// What to do, in a few words.
    package var title: String {
        switch self {
        case .speakTLS: "Speak TLS at this port"
        case .site: "Set up a site of this name"
        case .applicationProtocols: "Speak HTTP/2 or HTTP/1.1"
        case .newVersions: "Answer hellos that offer TLS 1.3"
        case .largeHello: "Read hellos that come in two segments"
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
