//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// The pins of targets, as text or as a document, with a configuration if one is requested.
struct PinListReport: DocumentReport {
    let targets: [JudgedTarget]
    /// The configuration. In text it replaces all other output.
    let configuration: PinConfigurationText?

    var verdict: ReportVerdict { .worst(of: self.targets.map(\.verdict)) }

    var document: PinDocument { PinDocument(self) }

    func text(_ style: TextStyle) -> String {
        self.configuration?.text ?? PinListText(style).text(of: self.targets)
    }

    /// The problems of the targets and of the configuration that the text omits.
    var complaints: [String] {
        self.targets.flatMap(self.complaints) + (self.configuration?.notes ?? [])
    }

    private func complaints(_ target: JudgedTarget) -> [String] {
        switch target.outcome {
        case .failed(let failure): [failure.message]
        case .judged(let judgment, _):
            self.configuration == nil
                ? []
                : judgment.notes.filter(\.kind.isAboutClientIdentity).map { "\(target.name): \($0.message)" }
        }
    }
}

/// The pins of targets, for people.
struct PinListText {
    private let style: TextStyle

    init(_ style: TextStyle) {
        self.style = style
    }

    func text(of targets: [JudgedTarget]) -> String {
        let blocks = targets.map(self.block).joined(separator: "\n")
        return self.style.wrapped(targets.contains { $0.verdict == .trusted } ? blocks + self.advice : blocks)
    }

    private func block(_ target: JudgedTarget) -> String {
        var text =
            self.style.coloured(target.verdict.headline, target.verdict) + "  " + self.style.bold(target.name) + "\n"
        guard case .judged(let judgment, let findings) = target.outcome else { return text }
        for finding in findings {
            text += "\n" + finding.text(self.style)
        }
        for note in judgment.notes { text += "\n" + note.text(self.style) }
        guard target.verdict == .trusted else {
            return text
                + "\n  Its pins are not shown: pins of an untrusted path may be those of an attacker in between.\n"
        }
        return text + "\n" + PathPin.pins(of: target.path).map(self.line).joined()
    }

    private func line(_ pin: PathPin) -> String {
        let role = pin.role.rawValue + String(repeating: " ", count: 12 - pin.role.rawValue.count)
        let certificate = pin.certificate
        let end = ISO8601.text(certificate.notValidAfter).prefix(10)
        return "  \(pin.pin)  \(role)  \(certificate.subjectSummary), \(certificate.publicKey), until \(end)\n"
    }

    private var advice: String {
        let lines = PinRole.allCases.map { role in
            "  \(self.style.bold(role.rawValue)): \(role.advice).\n"
        }
        return "\nWhich to pin\n" + lines.joined()
            + self.style.dim("\nWrite a configuration with --for ios, android, …\n")
    }
}
