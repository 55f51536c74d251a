//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// A value and the place of its key in a file.
///
/// In code, an entry is written as a literal: `dictionary.allowsLocalNetworking = true`.
public struct ATSEntry<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value of the key.
    public var value: Value
    /// The place of the key. It is `nil` in a binary property list and for entries created in code.
    public var position: TextPosition?

    /// Creates an entry from a value and the place of its key.
    public init(_ value: Value, at position: TextPosition? = nil) {
        self.value = value
        self.position = position
    }
}

extension ATSEntry: ExpressibleByBooleanLiteral where Value == ATSFlag {
    /// Creates an entry from a Boolean literal.
    public init(booleanLiteral value: Bool) { self.init(.boolean(value)) }
}

extension ATSEntry: ExpressibleByUnicodeScalarLiteral where Value == String {
    /// Creates an entry from a string literal.
    public init(unicodeScalarLiteral value: String) { self.init(value) }
}

extension ATSEntry: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {
    /// Creates an entry from a string literal.
    public init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
}

extension ATSEntry: ExpressibleByStringLiteral where Value == String {
    /// Creates an entry from a string literal.
    public init(stringLiteral value: String) { self.init(value) }
}

/// A flag in a property list.
///
/// Apple's engine reads an `NSNumber`: 1 means on, and any other number means off. Either way the key counts as present.
public enum ATSFlag: Sendable, Hashable {
    /// The value `<true/>` or `<false/>`.
    case boolean(Bool)
    /// The value of an `<integer>` or `<real>`.
    case number(Double)

    /// `true` if the flag is on.
    public var isOn: Bool {
        switch self {
        case .boolean(let boolean): boolean
        case .number(let number): number == 1
        }
    }

    /// `true` for the Boolean `<true/>`, the only value that `NSPinnedDomains` takes for on.
    var isBooleanTrue: Bool { self == .boolean(true) }
}
