//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What came of looking at one server; the raw value is the exit code.
enum CommandVerdict: Int32, Comparable, Sendable {
    case trusted = 0
    case notTrusted = 1
    case notEvaluated = 2

    /// The worst of several: an exit code says the worst.
    static func worst(of verdicts: some Sequence<CommandVerdict>) -> CommandVerdict {
        verdicts.max() ?? .trusted
    }

    static func < (left: CommandVerdict, right: CommandVerdict) -> Bool { left.rawValue < right.rawValue }

    /// The verdict in JSON.
    var name: String {
        switch self {
        case .trusted: "trusted"
        case .notTrusted: "not-trusted"
        case .notEvaluated: "not-evaluated"
        }
    }

    /// The verdict as the first words of a report.
    var headline: String {
        switch self {
        case .trusted: "TRUSTED"
        case .notTrusted: "NOT TRUSTED"
        case .notEvaluated: "NOT EVALUATED"
        }
    }
}
