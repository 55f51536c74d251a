//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import ServerDiagnosis
package import ServerTrust
import TLSProbe
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A fault of a server's chain or of its connection.
package struct Finding: Sendable {
    package let message: String
    package internal(set) var remedy: String
    /// The actions of the remedy, for a program's own wording.
    package internal(set) var actions: [TrustRemedy.Action]
    /// The codes for programs and for searches in Apple's documentation.
    package let codes: String
    /// The certificate, the found value, the required value and the rule. Empty if the finding is not about a chain.
    package let details: [FindingDetail]

    init(
        message: String, remedy: String, actions: [TrustRemedy.Action] = [], codes: String,
        details: [FindingDetail] = []
    ) {
        self.message = message
        self.remedy = remedy
        self.actions = actions
        self.codes = codes
        self.details = details
    }

    init(_ reason: TrustFailureReason) {
        self.message = reason.message
        self.remedy = reason.remedy.advice
        self.actions = reason.remedy.actions
        let status = reason.check.foreignCode ?? "\(reason.osStatus.name) (\(reason.osStatus.rawValue))"
        self.codes = "\(reason.code), \(status)"
        self.details = FindingDetail.details(of: reason)
    }

    init(_ failure: ServerTrustFailure) {
        self.message = failure.message
        self.remedy = failure.remedy
        self.actions = failure.actions
        let pinStatus = OSStatusCode.sslATSCertificateTrustViolation
        self.codes =
            failure.mismatch == nil ? failure.code : "\(failure.code), \(pinStatus.name) (\(pinStatus.rawValue))"
        self.details = failure.mismatch.map(FindingDetail.details) ?? []
    }
}

/// A labeled line of evidence for a finding.
package struct FindingDetail: Sendable {
    /// The label of the line: `found`, `required`, …
    package let label: String
    package let value: String
    /// The address of the source, or `nil` if there is none.
    package var link: String?

    static func details(of reason: TrustFailureReason) -> [FindingDetail] {
        let comparison = reason.comparison
        let subject =
            reason.certificate.subject.isEmpty ? reason.certificate.subjectSummary : reason.certificate.subject
        return [
            FindingDetail(label: "about", value: "certificate \(reason.certificateIndex) of the path, \(subject)"),
            FindingDetail(label: "found", value: comparison.found),
            FindingDetail(label: "required", value: comparison.required),
        ]
            + reason.rules.map { rule in
                FindingDetail(label: "rule", value: "\(rule.section): \(rule.requirement)", link: rule.link)
            }
    }

    /// Returns the keys of the path and the pinned keys.
    static func details(of mismatch: PinMismatch) -> [FindingDetail] {
        let rule = TrustRule.rule("path-not-pinned")
        let names = mismatch.path.prefix(1).map { $0.subject.isEmpty ? $0.subjectSummary : $0.subject }
        return [
            FindingDetail(
                label: "about",
                value: "the path of \(mismatch.host)" + (names.first.map { ", certificate 0 of the path, \($0)" } ?? "")
            ),
            FindingDetail(label: "found", value: Self.pins(mismatch.pathPins)),
            FindingDetail(label: "required", value: "one of " + Self.pins(mismatch.pins.pins.sorted())),
        ]
            + (rule.map { [FindingDetail(label: "rule", value: "\($0.section): \($0.requirement)", link: $0.link)] }
                ?? [])
    }

    private static func pins(_ pins: [Pin]) -> String {
        pins.prefix(4).map(\.description).joined(separator: ", ") + (pins.count > 4 ? ", …" : "")
    }

    static func details(of violation: ATSViolation) -> [FindingDetail] {
        if case .untrusted(let failure) = violation.reason { return Self.details(of: failure.primary) }
        guard let (found, required) = violation.comparison else { return [] }
        let isAboutPins = violation.key != nil
        return [
            FindingDetail(label: "about", value: isAboutPins ? "the path" : "the connection"),
            FindingDetail(label: "found", value: found), FindingDetail(label: "required", value: required),
            FindingDetail(
                label: "rule",
                value: violation.key.map { "Apple, NSPinnedDomains, \($0.rawValue): one of these keys is in the path." }
                    ?? "Apple, NSAppTransportSecurity: what an app without exceptions asks of a server.",
                link: ReportTool.transportSecurityHelp),
        ]
    }
}

extension Finding {
    /// Returns the lines of the text: the message, the remedy, the details and the codes.
    ///
    /// - Parameters:
    ///   - style: Colors and weights.
    ///   - subjects: The text in front of the codes.
    package func text(_ style: TextStyle, subjects: String = "") -> String {
        let lines = self.details.map { detail in
            let label = detail.label + String(repeating: " ", count: max(0, 9 - detail.label.count))
            return "    \(style.dim(label)) \(DisplayText.text(detail.value))\n"
        }
        return "  \(style.bold(self.message))\n"
            + "  \(style.spelling.text(self.remedy, self.actions))\n\(lines.joined())"
            + "  \(style.dim("\(subjects)[\(self.codes)]"))\n"
    }
}

extension Finding {
    init(_ violation: ATSViolation) {
        self.message = DisplayText.text(violation.message)
        self.remedy = violation.remedy
        self.actions = violation.actions
        let stream = violation.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
        self.codes = "\(violation.rule), \(violation.urlError.name) (\(violation.urlError.rawValue))\(stream)"
        self.details = FindingDetail.details(of: violation)
    }
}

extension Finding {
    /// Creates a finding for a connection failure. It has the codes of Apple's systems if the server caused the failure.
    init(_ failure: ConnectionFailure) {
        let violation = ATSViolation(.connectionFailed(failure))
        let stream = violation.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
        let apple = ", \(violation.urlError.name) (\(violation.urlError.rawValue))\(stream)"
        self.init(
            message: DisplayText.text(failure.message), remedy: DisplayText.text(failure.remedy),
            codes: failure.code + (failure.isOfThisSide ? "" : apple),
            details: failure.speaksSomethingElse ? FindingDetail.details(ofHandshake: failure.alert, .speakTLS) : [])
    }
}

extension ConnectionFailure {
    /// `true` if this machine, its resolver, its proxy or the caller caused the failure.
    fileprivate var isOfThisSide: Bool {
        switch self {
        case .lookupFailed, .forbiddenAddress, .starved, .proxy, .exhausted, .cancelled: true
        default: false
        }
    }

    /// `true` if the server answered with something other than a handshake.
    fileprivate var speaksSomethingElse: Bool {
        switch self {
        case .notTLS, .malformed, .preamble, .startTLS: true
        default: false
        }
    }
}

extension Finding {
    init(_ doubt: MissingFact) {
        self.init(
            message: DisplayText.text(doubt.message), remedy: DisplayText.text(doubt.remedy),
            codes: [doubt.code, doubt.failure?.code].compactMap(\.self).joined(separator: ", "))
    }
}

extension Finding {
    /// Returns all faults of the chain except the first one. A self-signed certificate, for example, may also have expired.
    static func others(_ reason: DiagnosisReason) -> [Finding] {
        guard case .violation(let violation) = reason.evidence, case .untrusted(let failure) = violation.reason else {
            return []
        }
        return failure.reasons.dropFirst().map { Finding($0) }
    }

    init(_ reason: DiagnosisReason) {
        switch reason.evidence {
        case .missing(let fact): self.init(fact)
        case .violation(let violation):
            self.init(
                message: DisplayText.text(reason.message), remedy: DisplayText.text(reason.remedy),
                actions: violation.actions, codes: Finding(violation).codes,
                details: FindingDetail.details(of: violation) + FindingDetail.detailsOfHandshake(reason, violation))
        }
    }
}

extension FindingDetail {
    /// Returns the details of a failed handshake, chosen by the cause that the facts show.
    fileprivate static func detailsOfHandshake(_ reason: DiagnosisReason, _ violation: ATSViolation) -> [FindingDetail]
    {
        guard case .connectionFailed(let failure) = violation.reason, let kind = reason.cause?.kind else { return [] }
        return Self.details(ofHandshake: failure.alert, kind)
    }

    /// Returns the details of a failed handshake.
    ///
    /// - Parameters:
    ///   - alert: The alert that ended the handshake, or `nil` if there was none.
    ///   - kind: The advice for its cause.
    fileprivate static func details(
        ofHandshake alert: TLSAlertDescription?, _ kind: ServerAdvice.Kind
    ) -> [FindingDetail] {
        guard let rule = kind.handshakeRule else { return [] }
        let found = alert.map { "the alert \($0)" } ?? "no handshake"
        return [
            FindingDetail(label: "about", value: "the connection"), FindingDetail(label: "found", value: found),
            FindingDetail(label: "required", value: rule.required),
            FindingDetail(
                label: "rule", value: "RFC 8446 §\(rule.section): \(rule.sentence)",
                link: "https://www.rfc-editor.org/rfc/rfc8446#section-\(rule.section)"),
        ]
    }
}

extension ServerAdvice.Kind {
    /// The requirement of TLS that the server's handshake must meet, or `nil` if the advice is not about the handshake.
    fileprivate var handshakeRule: (required: String, section: String, sentence: String)? {
        switch self {
        case .speakTLS:
            ("an answer in TLS", "4.1.3", "The server answers a ClientHello with a ServerHello, or with an alert.")
        case .version, .newVersions:
            (
                "a version that Apple's systems, or the app, accept", "4.2.1",
                "The server chooses a version that the client offers, and ignores versions that it does not know."
            )
        case .cipherSuites, .newSuites, .groups, .signatures, .keyKind:
            (
                "a suite, a group and a signature that Apple's systems offer", "4.1.1",
                "The server takes a suite, a group and a signature scheme that the client offers."
            )
        case .site:
            (
                "a site of the name that was asked for", "6.2",
                "A server without a site of the name may answer with unrecognized_name."
            )
        default: nil
        }
    }
}

extension ATSViolation {
    /// The found and the required value, or `nil` if the message contains both or neither is known.
    fileprivate var comparison: (found: String, required: String)? {
        switch self.reason {
        case .versionTooOld(let version, let minimum):
            ("\(version)", minimum.map { "at least \($0)" } ?? "a version that exceptions allow")
        case .cipherSuite(let suite, _):
            ("\(suite)", "ECDHE with AES-GCM or ChaCha20, or a suite that an exception allows")
        case .noExtendedMasterSecret: ("TLS 1.2 without it", "the extended master secret (RFC 7627), or TLS 1.3")
        case .keyTooSmall(let kind, let bits, let minimum) where bits >= minimum:
            (kind.title, "RSA, or a key on P-256 or P-384")
        case .keyTooSmall(let kind, let bits, let minimum):
            ("\(kind.rawValue) with \(bits) bits", "at least \(minimum) bits")
        case .leafDigest(let digest), .issuerDigest(let digest, _): (digest.rawValue, "SHA-256 or better")
        case .insecureLoad: ("http", "https")
        case .signatureAlgorithmNotOffered(let algorithm): ("\(algorithm)", "an algorithm that Apple's systems offer")
        case .leafNotPinned(let found, let pinned): (Self.keys(found.map { [$0] } ?? []), "one of " + Self.keys(pinned))
        case .authorityNotPinned(let found, let pinned): (Self.keys(found), "one of " + Self.keys(pinned))
        case .connectionFailed, .untrusted, .unknown: nil
        }
    }

    /// The pinning key of the Info.plist, or `nil` if the violation is not about pins.
    fileprivate var key: ATSKey? {
        switch self.reason {
        case .leafNotPinned: .pinnedLeafIdentities
        case .authorityNotPinned: .pinnedCAIdentities
        default: nil
        }
    }

    /// Returns key digests in the notation of an Info.plist.
    private static func keys(_ digests: [[UInt8]]) -> String {
        guard !digests.isEmpty else { return "no key" }
        let shown = digests.prefix(4).map { Data($0).base64EncodedString() }
        return shown.joined(separator: ", ") + (digests.count > 4 ? ", …" : "")
    }
}
