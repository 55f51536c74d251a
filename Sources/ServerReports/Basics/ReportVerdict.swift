//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The verdict about one server or several. The raw value is the exit code of `servertrust`.
///
/// Verdicts are ordered from best to worst, so that ``worst(of:)`` combines the verdicts of several servers.
public enum ReportVerdict: Int32, Comparable, Sendable {
    /// The server is trusted, or passed the test.
    case trusted = 0
    /// The server is not trusted, or failed the test.
    case notTrusted = 1
    /// The verdict is not known, or the server was not evaluated.
    case notEvaluated = 2

    /// Returns the worst verdict, which determines the exit code.
    ///
    /// - Parameter verdicts: The verdicts. The worst of an empty sequence is ``trusted``.
    public static func worst(of verdicts: some Sequence<ReportVerdict>) -> ReportVerdict {
        verdicts.max() ?? .trusted
    }

    /// Returns `true` if the left verdict is better than the right one.
    public static func < (left: ReportVerdict, right: ReportVerdict) -> Bool { left.rawValue < right.rawValue }

    package var name: String {
        switch self {
        case .trusted: "trusted"
        case .notTrusted: "not-trusted"
        case .notEvaluated: "not-evaluated"
        }
    }

    /// The verdict as the first words of a report.
    package var headline: String {
        switch self {
        case .trusted: "TRUSTED"
        case .notTrusted: "NOT TRUSTED"
        case .notEvaluated: "NOT EVALUATED"
        }
    }
}
