//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// Something in `NSAppTransportSecurity` that was not understood, and how Apple's engine takes it.
public struct ATSIssue: Sendable, Hashable {
    /// What is the matter.
    public enum Kind: Sendable, Hashable {
        /// A key that means nothing where it is.
        case unknownKey
        /// A key that means something, but at another level.
        case misplacedKey(ATSKey)
        /// A value of another type than its key's; the key is as good as not there, unless said otherwise.
        case wrongType(expected: String, found: String)
        /// A number where a boolean belongs; it counts by its value.
        case numberForBoolean(Double)
        /// The same key again; the last one counts.
        case duplicateKey
        /// A pin without a digest; it is passed over.
        case pinWithoutDigest
    }

    /// What is the matter.
    public let kind: Kind
    /// The keys that lead to it from `NSAppTransportSecurity`, its own last; an element of an array by its number, from 0.
    public let path: [String]
    /// Where it is.
    public let position: TextPosition?

    /// The key it is about.
    public var key: String { self.path.last ?? ATSKey.section }

    /// An issue at a place.
    public init(_ kind: Kind, _ path: [String], at position: TextPosition?) {
        self.kind = kind
        self.path = path
        self.position = position
    }
}
