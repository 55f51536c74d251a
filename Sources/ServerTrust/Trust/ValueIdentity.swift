//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The identity of an evaluator, a handler or a fetcher, so that connections can be kept apart by what judged them.
///
/// Those that are Hashable are compared by value. Of others nothing is known, so that only copies of the same
/// wrapper are equal: two connections are then never taken for equally judged by mistake.
package enum ValueIdentity: Sendable {
    case value(any Sendable & Hashable)
    case instance(Instance)

    /// Something that is equal to itself alone.
    package final class Instance: Sendable {}

    /// The identity of something as what is known of it: the value where it is Hashable, `nil` where it is not.
    package init(_ value: (any Sendable & Hashable)?) {
        if let value { self = .value(value) } else { self = .instance(Instance()) }
    }
}

extension ValueIdentity: Hashable {
    package static func == (left: ValueIdentity, right: ValueIdentity) -> Bool {
        switch (left, right) {
        // A subclass that decides otherwise may leave equality to its base.
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
