//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What tells one evaluator or handler from another, so that connections can be kept apart by what judged them.
///
/// Those that are Hashable are compared by value. Of others nothing is known, so that only copies of the same
/// wrapper are equal: two connections are then never taken for equally judged by mistake.
package enum EvaluatorIdentity: Sendable {
    case value(any Sendable & Hashable)
    case instance(Instance)

    /// Something that is equal to itself alone.
    package final class Instance: Sendable {}

    init(_ evaluator: any ServerTrustEvaluating) {
        self.init(evaluator as? any ServerTrustEvaluating & Hashable)
    }

    package init(_ handler: any ServerTrustHandler) {
        self.init(handler as? any ServerTrustHandler & Hashable)
    }

    private init(_ value: (any Sendable & Hashable)?) {
        if let value { self = .value(value) } else { self = .instance(Instance()) }
    }
}

extension EvaluatorIdentity: Hashable {
    package static func == (left: EvaluatorIdentity, right: EvaluatorIdentity) -> Bool {
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
