//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import AppleFiles
import ServerTrust

/// The meaning of a logged fault, and its remedy.
package struct LoggedMeaning: Sendable {
    /// A short, stable name for programs.
    package let code: String
    /// The fault in one sentence.
    package let sentence: String
    /// The release since which the fault is a warning or ends the connection.
    package let since: String
    /// The causes, the most likely first. Empty if the fault itself names the cause.
    package var causes: [String] = []
    /// Further facts of the line, such as the sent chain.
    package var details: [String] = []
    package let remedy: String
    /// The names of related codes that have an explanation.
    package var related: [String] = []

    static let warningBefore27 = "A warning in 26.4 to 26.x. From 27.0 on it ends the connection."
    static let logged = "It ends the connection. Systems log it from 26.4 on."
    static let always = "It ends the connection."
}

extension LoggedFault {
    package var meaning: LoggedMeaning {
        switch self {
        case .cipherSuite, .signatureAlgorithm, .noExtendedMasterSecret: self.packageMeaning
        case .trustRequirement, .systemTrust, .profileNotInstalled: self.trustMeaning
        case .keySize, .leafDigest, .noLeaf, .noKey: self.certificateMeaning
        case .checks(let certificates): Self.meaning(of: certificates)
        case .streamCode(let code): Self.meaning(of: code, urlError: nil)
        case .load(let urlError, let streamCode): Self.meaning(of: streamCode, urlError: urlError)
        case .test(let title):
            LoggedMeaning(
                code: "nscurl-test", sentence: "nscurl's test “\(DisplayText.text(title))” fails.",
                since: "It fails where the app has these exceptions.",
                remedy: "Diagnose the server for the reason, and for the settings to change.")
        }
    }

    private var packageMeaning: LoggedMeaning {
        switch self {
        case .cipherSuite(let suite):
            LoggedMeaning(
                code: "cipher-suite",
                sentence:
                    "The server chose the cipher suite \(DisplayText.text(suite)), which device management does not offer.",
                since: LoggedMeaning.warningBefore27,
                remedy: "Enable TLS 1.3 at the server, or ECDHE with AES-GCM for TLS 1.2.", related: ["cipher-suite"])
        case .signatureAlgorithm(let algorithm):
            LoggedMeaning(
                code: "signature-algorithm-not-offered",
                sentence:
                    "The server's certificate is signed with \(DisplayText.text(algorithm)), which device management "
                    + "does not offer.",
                since: LoggedMeaning.warningBefore27,
                remedy: "Have the certificate issued again with a signature over SHA-256 or better.",
                related: ["signature-algorithm-not-offered"])
        default:
            LoggedMeaning(
                code: "no-extended-master-secret",
                sentence: "The server speaks TLS 1.2 without the extended master secret (RFC 7627).",
                since: LoggedMeaning.warningBefore27,
                remedy: "Enable TLS 1.3 at the server, or update its TLS library.",
                related: ["no-extended-master-secret"])
        }
    }

    private var trustMeaning: LoggedMeaning {
        switch self {
        case .systemTrust:
            LoggedMeaning(
                code: "system-trust",
                sentence:
                    "App Transport Security asks for the system's trust, and the server does not have it. The app's "
                    + "own decision about the certificate does not change that for a full name.",
                since: LoggedMeaning.always, causes: Self.trustCauses,
                remedy: "Use a certificate of an authority that devices trust, or have the private root installed and "
                    + "enabled on the device. Addresses, .local names and names without a dot are exempt where the app "
                    + "sets NSAllowsLocalNetworking.", related: ["untrusted"])
        case .profileNotInstalled:
            LoggedMeaning(
                code: "profile-not-installed",
                sentence: "The device does not trust the certificate of the server that a profile comes from or names.",
                since: "The profile is not installed.", causes: Self.trustCauses,
                remedy: "Mend the server's certificate, or install the profile with its root first.",
                related: ["untrusted"])
        default:
            LoggedMeaning(
                code: "untrusted", sentence: "The trust that App Transport Security asks for is not met.",
                since: LoggedMeaning.logged, causes: Self.trustCauses,
                remedy: "Check the server: the answer names the certificate and the rule.", related: ["untrusted"])
        }
    }

    private static let trustCauses = [
        "The certificate is self-signed, or its root is a private one that the device does not trust.",
        "The server does not send an intermediate certificate.",
        "The certificate has expired, or is for another name.",
    ]

    private var certificateMeaning: LoggedMeaning {
        switch self {
        case .keySize(let kind, let bits, let minimum):
            LoggedMeaning(
                code: "key-too-small",
                sentence: "The server's \(kind) key has \(bits) bits, and \(minimum) are required.",
                since: LoggedMeaning.logged, remedy: "Have the certificate issued again for a larger key.",
                related: ["key-too-small"])
        case .leafDigest:
            LoggedMeaning(
                code: "leaf-digest", sentence: "The server's certificate is signed over less than SHA-256.",
                since: LoggedMeaning.logged,
                remedy: "Have the certificate issued again with a signature over SHA-256 or better.",
                related: ["leaf-digest"])
        case .noLeaf:
            LoggedMeaning(
                code: "no-certificate", sentence: "The handshake ended without a certificate of the server.",
                since: LoggedMeaning.logged, remedy: "Configure the server with a certificate.",
                related: ["no-certificate"])
        default:
            LoggedMeaning(
                code: "no-key", sentence: "The key of the server's certificate cannot be used.",
                since: LoggedMeaning.logged,
                remedy: "Have the certificate issued again for an RSA key, or one on P-256.")
        }
    }
}

// MARK: - Checks and codes

extension LoggedFault {
    private static func meaning(of certificates: [FailedChecks]) -> LoggedMeaning {
        let failed = certificates.flatMap { certificate in
            certificate.names.map { (certificate.label, $0, Self.rules(of: $0)) }
        }
        let sentences = failed.map { label, name, rules in
            "\(Self.subject(label)): \(rules.first.map(\.title) ?? "the check \(DisplayText.text(name)) fails"), \(DisplayText.text(name))."
        }
        let worst = failed.compactMap { TrustCheck(rawValue: $0.1) }.min { $0.rank < $1.rank }
        let rules = worst.map { Self.rules(of: $0.rawValue) } ?? []
        return LoggedMeaning(
            code: "trust-evaluate-failure", sentence: sentences.joined(separator: " "), since: LoggedMeaning.always,
            causes: worst.map(Self.causes) ?? [],
            remedy: rules.first?.remedies.first?.advice
                ?? "Check the server: the answer names the certificate and the rule.",
            related: failed.flatMap { $0.2.map(\.id) }.uniqued())
    }

    /// Returns the rules that a check of Apple's covers.
    static func rules(of check: String) -> [TrustRule] { Self.rulesByCheck[check] ?? [] }

    private static let rulesByCheck = Dictionary(
        grouping: TrustRule.all.filter { !$0.id.contains("/") }, by: \.check.rawValue)

    private static func subject(_ label: String) -> String {
        switch label {
        case "leaf": "The server's own certificate (leaf)"
        case "root": "The last certificate of the path (root)"
        default: "Certificate \(label.dropFirst(2)) above the server's (\(label))"
        }
    }

    private static func causes(_ check: TrustCheck) -> [String] {
        switch check {
        case .anchorTrusted:
            [
                "The certificate is self-signed, or its root is a private one that the device does not trust.",
                "A company's proxy, or a hosting provider's default site, answers in place of the server.",
            ]
        case .missingIntermediate:
            [
                "The server does not send an intermediate certificate, and it cannot be fetched.",
                "The root is a private one, which the server does not send either.",
            ]
        case .sslHostname:
            [
                "The server shows the certificate of another site: its default site, or that of a proxy.",
                "The app connects to an address, or to a name that the certificate does not have.",
            ]
        case .temporalValidity:
            ["The certificate has expired and was not renewed.", "The device's clock is wrong."]
        default: []
        }
    }

    private static func meaning(of streamCode: Int?, urlError: Int?) -> LoggedMeaning {
        let stream = streamCode.flatMap { Int32(exactly: $0) }.flatMap(OSStatusCode.init(rawValue:))
        let load = urlError.flatMap(URLErrorCode.init(rawValue:))
        let names = [urlError.map { Self.name(load?.name, $0) }, streamCode.map { Self.name(stream?.name, $0) }]
        let known = names.compactMap(\.self).joined(separator: ", ")
        let transport = stream?.transportMeaning
        let isAlert = stream == .sslFatalAlert
        return LoggedMeaning(
            code: streamCode == nil ? "url-error" : "stream-code",
            sentence: isAlert
                ? "A connection failed: \(known)."
                : "A connection failed: \(known). \(transport?.meaning ?? load?.meaning ?? "")".trimmedEnd,
            since: LoggedMeaning.always,
            causes: isAlert ? Self.alertCauses : Self.causes(of: stream, load),
            remedy: isAlert
                ? "Check the server: where its chain is trusted, diagnose it."
                : transport?.remedy ?? load?.remedy ?? "Diagnose the server for the reason.",
            related: [stream?.name, load?.name].compactMap(\.self))
    }

    /// Returns the likely causes of a refusal that its codes do not explain completely.
    private static func causes(of stream: OSStatusCode?, _ load: URLErrorCode?) -> [String] {
        switch stream {
        case .sslUnknownRootCert: Self.causes(.anchorTrusted)
        case .sslNoRootCert: Self.causes(.missingIntermediate)
        case .sslCertExpired, .sslCertNotYetValid: Self.causes(.temporalValidity)
        case .sslHostNameMismatch: Self.causes(.sslHostname)
        case .sslXCertChainInvalid, .sslBadCert: Self.trustCauses
        case nil where load == .serverCertificateUntrusted: Self.trustCauses
        default: []
        }
    }

    /// The causes of -9802 in URL loading. The name of the code suggests only the second one.
    private static let alertCauses = [
        "Trust or App Transport Security refused the server on this side. That is so nearly always where URL loading reports "
            + "the code.",
        "The server ended the handshake with an alert. Its log then has the reason.",
    ]

    private static func name(_ name: String?, _ number: Int) -> String {
        name.map { "\($0) (\(number))" } ?? "\(number)"
    }
}

extension DeviceLog.Finding {
    /// The meaning of the fault, with the sent chain.
    package var meaning: LoggedMeaning {
        var meaning = self.fault.meaning
        meaning.details = self.chain.enumerated().map { index, certificate in
            "Sent \(index): \(DisplayText.text(certificate.subject)), issued by \(DisplayText.text(certificate.issuer))"
        }
        if let remark = self.chainRemark { meaning.details.append(remark) }
        return meaning
    }

    /// A conclusion from the names in the chain, or `nil` if there is none.
    private var chainRemark: String? {
        guard let last = self.chain.last else { return nil }
        for (certificate, next) in zip(self.chain, self.chain.dropFirst()) where certificate.issuer != next.subject {
            return "“\(DisplayText.text(next.subject))” did not issue the certificate before it."
        }
        if last.subject == last.issuer {
            return self.chain.count == 1
                ? "The certificate is self-signed."
                : "The server sends its root, which is seldom one that devices trust."
        }
        return self.chain.count == 1 ? "The server sends no intermediate certificate." : nil
    }
}

extension String {
    fileprivate var trimmedEnd: String { self.last == " " ? String(self.dropLast()) : self }
}

extension Sequence where Element: Hashable {
    /// Returns the elements in their order, without repetitions.
    func uniqued() -> [Element] {
        var seen = Set<Element>()
        return self.filter { seen.insert($0).inserted }
    }
}
