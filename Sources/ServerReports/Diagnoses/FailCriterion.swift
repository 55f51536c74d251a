//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerDiagnosis

/// What decides the verdict of a report.
public enum FailCriterion: Sendable, Hashable {
    /// One of the questions.
    case subject(DiagnosisVerdict.Subject)
    /// One of nscurl's tests.
    case row(Int)

    /// Reads `ats`, `fcp`, `trust`, `plist`, or the number of a test; other text is `nil`.
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

    /// The question as options and JSON name it.
    public var name: String {
        switch self {
        case .subject(let subject): subject.rawValue
        case .row(let number): "\(number)"
        }
    }

    /// Whether the question is asked of a release.
    ///
    /// - Parameters:
    ///   - system: The release.
    ///   - hasApp: Whether there is an app to ask about.
    public func isAsked(of system: ATSSystem, hasApp: Bool) -> Bool {
        switch self {
        case .subject(.plist): hasApp
        case .subject(.fcp): system.readsNIAPKeys
        case .subject: true
        case .row(let number): ATSDiagnosticTest.tests(host: "", on: system).contains { $0.number == number }
        }
    }
}
