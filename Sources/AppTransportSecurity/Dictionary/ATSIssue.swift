//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// A part of `NSAppTransportSecurity` that was not understood.
///
/// ``consequence`` tells how Apple's engine treats it.
public struct ATSIssue: Sendable, Hashable {
    /// The kind of problem.
    public enum Kind: Sendable, Hashable {
        /// The key has no meaning.
        case unknownKey
        /// The key has a meaning only at another level.
        case misplacedKey(ATSKey)
        /// The value is of another type than the key requires. The key then counts as missing, unless documented otherwise.
        case wrongType(expected: String, found: String)
        /// The value is a number instead of a Boolean, and counts by its value.
        case numberForBoolean(Double)
        /// The key occurs twice, and the last one counts.
        case duplicateKey
        /// A pin has no digest and is ignored.
        case pinWithoutDigest
    }

    /// The kind of problem.
    public let kind: Kind
    /// The path of keys from `NSAppTransportSecurity` to the problem. An element of an array appears as its index, from 0.
    public let path: [String]
    /// The place of the problem.
    public let position: TextPosition?

    /// The key of the problem.
    public var key: String { self.path.last ?? ATSKey.section }

    /// Creates an issue at a place.
    public init(_ kind: Kind, _ path: [String], at position: TextPosition?) {
        self.kind = kind
        self.path = path
        self.position = position
    }
}
