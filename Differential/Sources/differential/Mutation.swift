//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that is done to a good chain.
struct Mutation {
    let name: String
    let change: (inout Scenario, inout SplitMix) -> Void

    init(_ name: String, _ change: @escaping (inout Scenario, inout SplitMix) -> Void) {
        (self.name, self.change) = (name, change)
    }

    /// Done to one certificate with one of some values, which becomes a part of the name.
    init<Value: Sendable>(
        _ name: String, _ places: Places, of values: [Value],
        _ change: @escaping (inout CraftedCertificate, Value) -> Void
    ) {
        self.init(name) { scenario, random in
            guard let index = places.indices(scenario.chain.count).randomElement(using: &random) else { return }
            let value = random.pick(values)
            change(&scenario.chain[index], value)
            scenario.changes.append("\(scenario.place(index)): \(name) \(value)")
        }
    }

    /// Done to one certificate; its place, counted from the leaf, becomes a part of the name.
    init(_ name: String, _ places: Places, _ change: @escaping (inout CraftedCertificate, inout SplitMix) -> Void) {
        self.init(name) { scenario, random in
            guard let index = places.indices(scenario.chain.count).randomElement(using: &random) else { return }
            change(&scenario.chain[index], &random)
            scenario.changes.append("\(scenario.place(index)): \(name)")
        }
    }

    enum Places {
        case any, leaf, issuers, intermediates

        func indices(_ count: Int) -> Range<Int> {
            switch self {
            case .any: 0..<count
            case .leaf: 0..<1
            case .issuers: 1..<count
            case .intermediates: 1..<max(1, count - 1)
            }
        }
    }

    static var all: [Mutation] {
        self.fields + self.usages + self.names + self.constraints + self.paths + self.signatures + self.encodings
    }
}

extension Scenario {
    func place(_ index: Int) -> String {
        index == 0 ? "leaf" : index == self.chain.count - 1 ? "root" : "intermediate"
    }
}
