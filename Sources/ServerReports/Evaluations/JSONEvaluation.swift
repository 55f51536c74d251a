//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The result of an evaluation with all its evidence, in JSON.
package struct JSONEvaluation: Encodable {
    private let verdict: String
    private let policy: String
    private let host: String?
    private let profile: String
    private let evaluatedAt: String
    private let resultType: Int
    private let resultTypeName: String
    private let osStatus: Int32
    private let osStatusName: String
    private let reasons: [JSONReason]
    private let appleLine: String?
    private let path: [JSONCertificate]
    private let anchorClass: String?
    private let certificateTransparency: String
    private let extendedValidation: String
    private let timestamps: [JSONTimestamp]?
    private let publicTrust: JSONPublicTrust?
    private let notes: [JSONTrustNote]
    private let evidence: [JSONEvidence]
    private let files: [JSONGivenFile]
    private let revocation: String
    private let fetches: [JSONFetch]
    private let verifiedSignatures: Int
    private let pinning: JSONPinning?

    package init(_ judgment: Judgment) {
        let result = judgment.result
        self.verdict = judgment.verdict.name
        self.policy = judgment.purpose.kind.rawValue
        self.host = judgment.purpose.host
        self.profile = judgment.profile
        self.evaluatedAt = ISO8601.text(result.evaluationDate)
        self.resultType = result.resultType.rawValue
        self.resultTypeName = result.resultType.name
        self.osStatus = result.failure?.osStatus.rawValue ?? 0
        self.osStatusName = result.failure?.osStatus.name ?? "errSecSuccess"
        self.reasons = result.failure?.reasons.map(JSONReason.init) ?? []
        self.appleLine = result.appleLine
        self.path = result.path.enumerated().map { index, certificate in
            JSONCertificate(
                certificate, isAnchor: result.anchorClass != nil && index == result.path.count - 1,
                status: judgment.statuses.indices.contains(index) ? judgment.statuses[index] : nil)
        }
        self.anchorClass = result.anchorClass?.rawValue
        self.certificateTransparency = result.certificateTransparency.rawValue
        self.extendedValidation = result.extendedValidation.rawValue
        self.timestamps = result.transparency?.entries.map(JSONTimestamp.init)
        self.publicTrust = judgment.publicTrust.map(JSONPublicTrust.init)
        self.notes = judgment.notes.map(JSONTrustNote.init)
        self.evidence = judgment.evidence.items.map(JSONEvidence.init)
        self.files = judgment.givenFiles.map(JSONGivenFile.init)
        self.revocation = judgment.revocation
        self.fetches = judgment.fetches.map(JSONFetch.init)
        self.verifiedSignatures = result.verifiedSignatures
        self.pinning = judgment.pinning.map { JSONPinning($0, path: result.path) }
    }
}

/// A reason against a chain, in JSON.
struct JSONReason: Encodable {
    private let code: String
    private let check: String
    private let osStatus: Int32
    private let osStatusName: String
    private let severity: String
    private let certificateIndex: Int
    private let certificateSubject: String
    private let title: String
    private let message: String
    private let remedy: String
    private let remedyActions: [String]
    private let found: String
    private let required: String
    private let rules: [JSONRule]
    private let evidence: [String: String]

    init(_ reason: TrustFailureReason) {
        self.code = reason.code
        self.check = reason.check.rawValue
        self.osStatus = reason.osStatus.rawValue
        self.osStatusName = reason.osStatus.name
        self.severity = reason.severity.rawValue
        self.certificateIndex = reason.certificateIndex
        self.certificateSubject = reason.certificate.subject
        self.title = reason.rules.first?.title ?? reason.message
        self.message = reason.message
        self.remedy = reason.remedy.advice
        self.remedyActions = reason.remedy.actions.map(\.rawValue)
        self.found = reason.comparison.found
        self.required = reason.comparison.required
        self.rules = reason.rules.map(JSONRule.init)
        // Several wildcards may have been refused, each for its own reason.
        self.evidence = Dictionary(reason.evidence.map { ($0.name, $0.value) }) { $0 + "; " + $1 }
    }
}

/// A certificate of a path, in JSON.
struct JSONCertificate: Encodable {
    private let subject: String
    private let subjectSummary: String
    private let issuer: String
    private let serialNumber: String
    private let notBefore: String
    private let notAfter: String
    private let key: String
    private let signatureAlgorithm: String
    private let spkiSHA256: String
    private let sha256: String
    private let dnsNames: [String]
    private let ipAddresses: [String]
    private let isAnchor: Bool
    private let revocation: String?

    init(_ certificate: Certificate, isAnchor: Bool, status: RevocationStatus?) {
        self.subject = certificate.subject
        self.subjectSummary = certificate.subjectSummary
        self.issuer = certificate.issuer
        self.serialNumber = JSONText.hexadecimal(certificate.serialNumber)
        self.notBefore = ISO8601.text(certificate.notValidBefore)
        self.notAfter = ISO8601.text(certificate.notValidAfter)
        self.key = "\(certificate.publicKey)"
        self.signatureAlgorithm = certificate.signatureAlgorithm
        self.spkiSHA256 = certificate.publicKey.pin
        self.sha256 = JSONText.hexadecimal(certificate.sha256Fingerprint)
        self.dnsNames = certificate.dnsNames
        self.ipAddresses = certificate.ipAddresses.map(\.description)
        self.isAnchor = isAnchor
        self.revocation =
            switch status {
            case .good: "good"
            case .revoked: "revoked"
            case .unknown(let why): why.rawValue
            case nil: nil
            }
    }
}
