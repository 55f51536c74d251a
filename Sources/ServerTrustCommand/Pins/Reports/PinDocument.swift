//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PinningDialects
import ServerReports
import ServerTrust

/// The output of `servertrust pin --format json`.
struct PinDocument: Encodable {
    private let format = "servertrust.pin/1"
    private let verdict: String
    private let targets: [JSONPinTarget]
    private let configuration: JSONPinConfiguration?

    init(_ report: PinListReport) {
        self.verdict = report.verdict.name
        self.targets = report.targets.map(JSONPinTarget.init)
        self.configuration = report.configuration.map(JSONPinConfiguration.init)
    }
}

/// A server or chain with its pins, in JSON.
struct JSONPinTarget: Encodable {
    private let target: String
    private let host: String?
    private let port: Int?
    private let verdict: String
    private let pins: [JSONPathPin]
    private let reasons: [JSONFinding]
    private let notes: [JSONTrustNote]
    private let error: String?

    init(_ target: JudgedTarget) {
        self.target = target.name
        self.host = target.host
        self.port = target.port
        self.verdict = target.verdict.name
        self.pins = target.verdict == .trusted ? PathPin.pins(of: target.path).map(JSONPathPin.init) : []
        switch target.outcome {
        case .judged(let judgment, let findings):
            self.reasons = findings.map(JSONFinding.init)
            self.error = nil
            self.notes = judgment.notes.map(JSONTrustNote.init)
        case .failed(let failure):
            self.reasons = failure.findings.map(JSONFinding.init)
            self.notes = []
            self.error = DisplayText.text(failure.message)
        }
    }
}

/// The pins of one certificate of a path, in JSON.
struct JSONPathPin: Encodable {
    private let role: String
    private let pin: String
    private let certificatePin: String
    private let subject: String
    private let key: String
    private let notAfter: String

    init(_ pin: PathPin) {
        self.role = pin.role.rawValue
        self.pin = "\(pin.pin)"
        self.certificatePin = "\(Pin(certificate: pin.certificate))"
        self.subject = pin.certificate.subject
        self.key = "\(pin.certificate.publicKey)"
        self.notAfter = ISO8601.text(pin.certificate.notValidAfter)
    }
}

/// A reason against a target, in JSON.
struct JSONFinding: Encodable {
    private let message: String
    private let remedy: String
    private let codes: String

    init(_ finding: Finding) {
        self.message = finding.message
        self.remedy = finding.remedy
        self.codes = finding.codes
    }
}

/// The configuration of `--for`, in JSON.
struct JSONPinConfiguration: Encodable {
    private let dialect: String
    private let text: String
    private let notes: [String]

    init(_ configuration: PinConfigurationText) {
        self.dialect = configuration.dialect.rawValue
        self.text = configuration.text
        self.notes = configuration.notes
    }
}
