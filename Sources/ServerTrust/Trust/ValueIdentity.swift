//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The identity of an evaluator, a handler or a fetcher, which keeps connections apart that different ones evaluated.
///
/// Hashable objects are compared by value. Other objects cannot be compared, so only copies of the same wrapper are equal. Two
/// connections are then never considered equally evaluated by mistake.
package enum ValueIdentity: Sendable {
    case value(any Sendable & Hashable)
    case instance(Instance)

    /// An object that is equal to itself alone.
    package final class Instance: Sendable {}

    /// Creates an identity from a value, or a new one that equals only itself for `nil`.
    package init(_ value: (any Sendable & Hashable)?) {
        if let value { self = .value(value) } else { self = .instance(Instance()) }
    }
}

extension ValueIdentity: Hashable {
    package static func == (left: ValueIdentity, right: ValueIdentity) -> Bool {
        switch (left, right) {
        // A subclass with another decision may inherit equality from its base class.
        case (.value(let left), .value(let right)):
            type(of: left) == type(of: right) && AnyHashable(left) == AnyHashable(right)
        case (.instance(let left), .instance(let right)): left === right
        case (.value, .instance), (.instance, .value): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .value(let value): hasher.combine(AnyHashable(value))
        case .instance(let instance): hasher.combine(ObjectIdentifier(instance))
        }
    }
}
