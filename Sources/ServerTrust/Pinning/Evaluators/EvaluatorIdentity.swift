//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What tells one evaluator from another, so that connections can be kept apart by what judged them.
///
/// Evaluators that are Hashable are compared by value. Of others nothing is known, so that only copies of the same
/// wrapper are equal: two connections are then never taken for equally judged by mistake.
enum EvaluatorIdentity: Sendable {
    case value(any ServerTrustEvaluating & Hashable)
    case instance(Instance)

    /// Something that is equal to itself alone.
    final class Instance: Sendable {}

    init(_ evaluator: any ServerTrustEvaluating) {
        if let value = evaluator as? any ServerTrustEvaluating & Hashable {
            self = .value(value)
        } else {
            self = .instance(Instance())
        }
    }
}

extension EvaluatorIdentity: Hashable {
    static func == (left: EvaluatorIdentity, right: EvaluatorIdentity) -> Bool {
        switch (left, right) {
        case (.value(let left), .value(let right)): AnyHashable(left) == AnyHashable(right)
        case (.instance(let left), .instance(let right)): left === right
        case (.value, .instance), (.instance, .value): false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .value(let value): hasher.combine(AnyHashable(value))
        case .instance(let instance): hasher.combine(ObjectIdentifier(instance))
        }
    }
}
