//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The rule by which the end of a certificate is announced: by share of its life, by days, or by both.
///
/// A rule by days alone raises an alarm at every renewal of a certificate that lives six days. A rule by share alone is early
/// for one that lives a year. With both, both must hold: the default warns when less than a quarter of the life and fewer than
/// 30 days are left. ACME clients renew when a third of the life is left, and those of certificates below ten days at half,
/// so that the alarm means that a renewal was missed.
///
/// ```swift
/// var configuration = TrustConfiguration.apple
/// configuration.expiryThreshold = ExpiryThreshold(percent: 33)
/// ```
public struct ExpiryThreshold: Sendable, Hashable {
    /// The rule without another choice: a quarter of the life and 30 days.
    public static let `default` = ExpiryThreshold(percent: 25, days: 30)

    /// The share of the life below which a warning is due, in percent; `nil` if the share does not matter.
    public let percent: Int?
    /// The days below which a warning is due; `nil` if the days do not matter.
    public let days: Int?

    /// A rule.
    ///
    /// - Parameters:
    ///   - percent: The share of the life in percent, from 1 to 100. Other values count as the nearest of these.
    ///   - days: The days, from 0 to 36,500. Other values count as the nearest of these.
    public init(percent: Int? = nil, days: Int? = nil) {
        self.percent = percent.map { min(max($0, 1), 100) }
        self.days = days.map { min(max($0, 0), 36_500) }
    }

    /// Reads a rule such as `25%`, `30d` or `25%,30d`.
    ///
    /// - Parameter text: A share, a number of days, or one of each.
    /// - Returns: `nil` for other text.
    public init?(_ text: String) {
        var (percent, days): (Int?, Int?) = (nil, nil)
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            // Int reads a sign, too.
            guard let unit = part.last, part.dropLast().allSatisfy(\.isASCIIDigit),
                let number = Int(part.dropLast())
            else { return nil }
            switch unit {
            case "%" where percent == nil && (1...100).contains(number): percent = number
            case "d" where days == nil && number <= 36_500: days = number
            default: return nil
            }
        }
        self.init(percent: percent, days: days)
    }

    /// The rule as `init(_:)` reads it.
    package var text: String {
        [self.percent.map { "\($0)%" }, self.days.map { "\($0)d" }].compactMap(\.self).joined(separator: ",")
    }

    /// Returns the level of a certificate, or `nil` if no warning is due.
    ///
    /// A certificate whose validity has not begun, by a clock that is behind or by a date in the future, is never at a level.
    ///
    /// - Parameter life: The validity of the certificate, and the moment.
    public func level(of life: CertificateLife) -> ExpiryLevel? {
        if life.isOver { return .expired }
        guard life.hasBegun, self.percent != nil || self.days != nil else { return nil }
        if let percent, !life.isBelow(percent: percent) { return nil }
        if let days, life.secondsLeft >= Int64(days) * 86_400 { return nil }
        return life.isBelow(percent: Self.criticalPercent) ? .critical : .warning
    }

    /// The share below which a certificate that is warned of is critical.
    private static let criticalPercent = 10
}

extension ExpiryThreshold: CustomStringConvertible {
    /// The rule as text, such as `25%,30d`.
    public var description: String {
        [self.percent.map { "\($0)%" }, self.days.map { "\($0)d" }].compactMap(\.self).joined(separator: ",")
    }
}

/// The urgency of a certificate's end, the least first.
public enum ExpiryLevel: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
    /// The certificate is below the threshold.
    case warning
    /// The certificate is below the threshold, and less than a tenth of its life is left.
    case critical
    /// The validity is over.
    case expired

    /// True if the first level is less urgent.
    public static func < (left: ExpiryLevel, right: ExpiryLevel) -> Bool { left.rank < right.rank }

    /// The urgency as a number from 1, for metrics.
    package var rank: Int {
        switch self {
        case .warning: 1
        case .critical: 2
        case .expired: 3
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { self.isASCII && self.isWholeNumber }
}
