//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerDiagnosis

/// The answer that determines the verdict of a report.
///
/// A diagnosis has several answers. Only the selected one decides the exit code, as with `--fail-on` of `servertrust diagnose`.
public enum FailCriterion: Sendable, Hashable {
    /// The answer to one of the questions decides.
    case subject(DiagnosisVerdict.Subject)
    /// The result of one of nscurl's tests decides.
    case row(Int)

    /// Parses `ats`, `fcp`, `trust`, `plist`, or the number of a test. Returns `nil` for other text.
    ///
    /// - Parameter text: The name.
    public init?(_ text: String) {
        if let subject = DiagnosisVerdict.Subject(rawValue: text) {
            self = .subject(subject)
        } else if let number = Int(text), (1...17).contains(number) {
            self = .row(number)
        } else {
            return nil
        }
    }

    /// The name in options and in JSON.
    public var name: String {
        switch self {
        case .subject(let subject): subject.rawValue
        case .row(let number): "\(number)"
        }
    }

    /// Returns `true` if a diagnosis for a release answers the question.
    ///
    /// - Parameters:
    ///   - system: The release.
    ///   - hasApp: `true` if the diagnosis includes an app.
    public func isAsked(of system: ATSSystem, hasApp: Bool) -> Bool {
        switch self {
        case .subject(.plist): hasApp
        case .subject(.fcp): system.readsNIAPKeys
        case .subject: true
        case .row(let number): ATSDiagnosticTest.tests(host: "", on: system).contains { $0.number == number }
        }
    }
}
