//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The expiration date of a set of pins, with the consequence.
///
/// Pins that a program cannot update need an expiration, as a server must change its keys at some time.
public struct PinExpiration: Sendable, Hashable {
    /// The consequences for connections after the expiration.
    public enum Consequence: String, Sendable, Hashable, CaseIterable {
        /// Every path is refused until there are new pins. This stops attackers, and genuine servers as well.
        case refuse
        /// Paths need no pin any more, like with Android and TrustKit. Outdated pins then lock out no user.
        case ignorePins = "ignore-pins"
        /// Paths without a pin are accepted and reported.
        case report
    }

    /// The first moment at which the pins are expired.
    public var date: Date
    /// The consequence for later connections.
    public var consequence: Consequence

    /// Creates an expiration.
    ///
    /// - Parameters:
    ///   - date: The first moment at which the pins are expired.
    ///   - consequence: The consequence for later connections.
    public init(_ date: Date, then consequence: Consequence) {
        self.date = date
        self.consequence = consequence
    }

    /// Creates an expiration from text.
    ///
    /// - Parameters:
    ///   - text: ISO 8601 in UTC: `2027-01-31`, which means its first second, or `2027-01-31T12:00:00Z`. No other form is accepted:
    ///     TrustKit takes text that it cannot read as no expiration.
    ///   - consequence: The consequence for later connections.
    /// - Throws: ``PinError`` if the text is not such a date.
    public init(_ text: String, then consequence: Consequence) throws(PinError) {
        guard let date = ISO8601Text.date(text) else { throw PinError(.invalidDate, text: text) }
        self.init(date, then: consequence)
    }
}
