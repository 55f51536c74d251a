//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The end of a set of pins, and what happens then.
public struct PinExpiration: Sendable, Hashable {
    /// What happens to connections after the end.
    public enum Consequence: String, Sendable, Hashable, CaseIterable {
        /// Every path is refused until there are new pins: no attacker gets through, and no genuine server does.
        case refuse
        /// Paths need no pin any more, as with Android and TrustKit: forgotten pins lock no user out.
        case ignorePins = "ignore-pins"
        /// Paths without a pin are let through and reported.
        case report
    }

    /// The first moment at which the pins no longer hold.
    public var date: Date
    /// What happens then.
    public var consequence: Consequence

    /// An end.
    ///
    /// - Parameters:
    ///   - date: The first moment at which the pins no longer hold.
    ///   - consequence: What happens then.
    public init(_ date: Date, then consequence: Consequence) {
        self.date = date
        self.consequence = consequence
    }

    /// An end from text.
    ///
    /// - Parameters:
    ///   - text: ISO 8601 in UTC and nothing else: `2027-01-31`, which is its first second, or `2027-01-31T12:00:00Z`.
    ///     No other form is guessed at: TrustKit took what it could not read for never.
    ///   - consequence: What happens then.
    /// - Throws: ``PinError`` when it is no such date.
    public init(_ text: String, then consequence: Consequence) throws(PinError) {
        guard let date = ISO8601Text.date(text) else { throw PinError(.invalidDate, text: text) }
        self.init(date, then: consequence)
    }
}
