//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// A value and the place in a file where its key is.
public struct ATSEntry<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value.
    public var value: Value
    /// Where its key begins; `nil` in a binary property list and for what was made in code.
    public var position: TextPosition?

    /// A value, and where it was written.
    public init(_ value: Value, at position: TextPosition? = nil) {
        self.value = value
        self.position = position
    }
}

extension ATSEntry: ExpressibleByBooleanLiteral where Value == ATSFlag {
    /// True or false, written in code.
    public init(booleanLiteral value: Bool) { self.init(.boolean(value)) }
}

extension ATSEntry: ExpressibleByUnicodeScalarLiteral where Value == String {
    /// A text, written in code.
    public init(unicodeScalarLiteral value: String) { self.init(value) }
}

extension ATSEntry: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {
    /// A text, written in code.
    public init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
}

extension ATSEntry: ExpressibleByStringLiteral where Value == String {
    /// A text, written in code.
    public init(stringLiteral value: String) { self.init(value) }
}

/// A switch as a property list can hold it.
///
/// Apple's engine reads an `NSNumber`: it is on when it equals 1, and any other number is off, and there.
public enum ATSFlag: Sendable, Hashable {
    /// `<true/>` or `<false/>`.
    case boolean(Bool)
    /// An `<integer>` or `<real>`.
    case number(Double)

    /// Whether it is on.
    public var isOn: Bool {
        switch self {
        case .boolean(let boolean): boolean
        case .number(let number): number == 1
        }
    }

    /// Whether it is a boolean and on, which is what `NSPinnedDomains` takes for on.
    var isBooleanTrue: Bool { self == .boolean(true) }
}
