//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What came of looking at one server or several; the raw value is the exit code of `servertrust`.
public enum ReportVerdict: Int32, Comparable, Sendable {
    /// Trusted, or passed.
    case trusted = 0
    /// Not trusted, or failed.
    case notTrusted = 1
    /// Not known, or not evaluated.
    case notEvaluated = 2

    /// The worst of several: an exit code says the worst.
    ///
    /// - Parameter verdicts: The verdicts; without any, the worst is ``trusted``.
    public static func worst(of verdicts: some Sequence<ReportVerdict>) -> ReportVerdict {
        verdicts.max() ?? .trusted
    }

    /// Whether the left verdict is better than the right one.
    public static func < (left: ReportVerdict, right: ReportVerdict) -> Bool { left.rawValue < right.rawValue }

    /// The verdict in JSON.
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
