//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The valid policy graph of RFC 9618, which replaces RFC 5280's policy tree. It gives the same results without the
/// tree's exponential growth on hostile paths.
///
/// A level has at most one node for each policy, and a node has the indices of its parents. A node without children at
/// the last level is not removed. It is never reached when the result is collected from the last level upwards.
struct PolicyGraph {
    private struct Node {
        let policy: OID
        var expected: Set<OID>
        let parents: [Int]
    }

    /// The nodes of each depth. If the last array is empty, the graph is NULL.
    private var levels: [[Node]]
    private var isNull: Bool { self.levels.last?.isEmpty ?? true }

    private var explicitPolicy: Int
    private var policyMapping: Int
    private var inhibitAnyPolicy: Int

    static let anyPolicy = OID.anyPolicy

    /// Initializes the state (RFC 5280 §6.1.2 (a), (d), (e), (f)).
    init(_ inputs: PolicyInputs, pathLength: Int) {
        self.levels = [[Node(policy: Self.anyPolicy, expected: [Self.anyPolicy], parents: [])]]
        self.explicitPolicy = inputs.requiresExplicitPolicy ? 0 : pathLength + 1
        self.policyMapping = inputs.inhibitsPolicyMapping ? 0 : pathLength + 1
        self.inhibitAnyPolicy = inputs.inhibitsAnyPolicy ? 0 : pathLength + 1
    }

    /// Returns `true` if a path might be rejected for its policies. Without a required policy and without mappings,
    /// the graph has no effect.
    static func matters(for path: some Collection<CertificateView>, _ inputs: PolicyInputs) -> Bool {
        inputs.requiresExplicitPolicy
            || path.contains { $0.has(.policyConstraints) || $0.has(.policyMappings) }
    }

    enum Outcome {
        case valid(Set<OID>?)
        case invalid
        case budgetExceeded
    }

    /// Processes a path that begins with the certificate issued by the anchor and ends with the leaf.
    static func process(
        _ path: some BidirectionalCollection<CertificateView>, _ inputs: PolicyInputs, budget: inout Int
    ) -> Outcome {
        var graph = PolicyGraph(inputs, pathLength: path.count)
        var remaining = path.count
        for certificate in path {
            remaining -= 1
            let isLast = remaining == 0
            let isSelfIssued = certificate.isSelfIssued
            guard graph.addLevel(certificate, allowsAny: !isLast && isSelfIssued, budget: &budget) else {
                return .budgetExceeded
            }
            // §6.1.3 (f)
            guard graph.explicitPolicy > 0 || !graph.isNull else { return .invalid }
            if isLast {
                graph.wrapUp(certificate)
            } else {
                guard graph.prepareNext(certificate, isSelfIssued: isSelfIssued) else { return .invalid }
            }
        }
        let policies = graph.userConstrainedPolicies(inputs)
        return graph.explicitPolicy > 0 || policies?.isEmpty != true ? .valid(policies) : .invalid
    }

    /// Adds the level of a certificate (RFC 9618 §5.1, which replaces RFC 5280 §6.1.3 (d) and (e)).
    private mutating func addLevel(_ certificate: CertificateView, allowsAny: Bool, budget: inout Int) -> Bool {
        guard !self.isNull, let parents = self.levels.last, certificate.has(.certificatePolicies) else {
            self.levels.append([])
            return true
        }
        var parentsByExpected: [OID: [Int]] = [:]
        for (index, node) in parents.enumerated() {
            for policy in node.expected { parentsByExpected[policy, default: []].append(index) }
        }
        let anyParent = parents.firstIndex { $0.policy == Self.anyPolicy }
        let policies = certificate.policyIdentifiers
        var level: [Node] = []
        for policy in policies where policy != Self.anyPolicy {
            let matching = parentsByExpected[policy] ?? anyParent.map { [$0] } ?? []
            if !matching.isEmpty { level.append(Node(policy: policy, expected: [policy], parents: matching)) }
            budget -= 1 + matching.count
        }
        if policies.contains(Self.anyPolicy), self.inhibitAnyPolicy > 0 || allowsAny {
            let present = Set(level.map(\.policy))
            for (policy, matching) in parentsByExpected where !present.contains(policy) {
                level.append(Node(policy: policy, expected: [policy], parents: matching))
                budget -= 1 + matching.count
            }
        }
        self.levels.append(level)
        return budget > 0
    }

    /// Prepares for the next certificate (RFC 5280 §6.1.4 (a), (b), (h), (i), (j)).
    private mutating func prepareNext(_ certificate: CertificateView, isSelfIssued: Bool) -> Bool {
        guard self.applyMappings(of: certificate) else { return false }
        if !isSelfIssued {
            self.explicitPolicy = max(0, self.explicitPolicy - 1)
            self.policyMapping = max(0, self.policyMapping - 1)
            self.inhibitAnyPolicy = max(0, self.inhibitAnyPolicy - 1)
        }
        let extensions = certificate.fields.extensions
        if let skip = extensions.requireExplicitPolicy { self.explicitPolicy = min(self.explicitPolicy, Int(skip)) }
        if let skip = extensions.inhibitPolicyMapping { self.policyMapping = min(self.policyMapping, Int(skip)) }
        if let skip = extensions.inhibitAnyPolicy { self.inhibitAnyPolicy = min(self.inhibitAnyPolicy, Int(skip)) }
        return true
    }

    private mutating func applyMappings(of certificate: CertificateView) -> Bool {
        let mappings = certificate.policyMappings
        guard !mappings.contains(where: { $0.issuer == Self.anyPolicy || $0.subject == Self.anyPolicy }) else {
            return false
        }
        guard !mappings.isEmpty, !self.isNull, var level = self.levels.popLast() else { return true }
        let targets = Dictionary(grouping: mappings, by: \.issuer).mapValues { Set($0.map(\.subject)) }
        if self.policyMapping == 0 {
            level.removeAll { targets[$0.policy] != nil }
        } else {
            self.map(&level, to: targets)
        }
        self.levels.append(level)
        return true
    }

    private func map(_ level: inout [Node], to targets: [OID: Set<OID>]) {
        var unmatched = targets
        for index in level.indices {
            guard let subjects = unmatched.removeValue(forKey: level[index].policy) else { continue }
            level[index].expected = subjects
        }
        guard level.contains(where: { $0.policy == Self.anyPolicy }),
            let anyParent = self.levels.last?.firstIndex(where: { $0.policy == Self.anyPolicy })
        else { return }
        for (policy, subjects) in unmatched {
            level.append(Node(policy: policy, expected: subjects, parents: [anyParent]))
        }
    }

    /// Completes the processing (RFC 5280 §6.1.5 (a), (b)). Unlike in (h) and in RFC 3280, a self-issued certificate counts too.
    private mutating func wrapUp(_ certificate: CertificateView) {
        self.explicitPolicy = max(0, self.explicitPolicy - 1)
        if certificate.fields.extensions.requireExplicitPolicy == 0 { self.explicitPolicy = 0 }
    }

    /// Returns the policies of the path (RFC 9618 §5.6, which replaces RFC 5280 §6.1.5 (g)). `nil` stands for anyPolicy.
    private func userConstrainedPolicies(_ inputs: PolicyInputs) -> Set<OID>? {
        guard let last = self.levels.last, !last.isEmpty else { return [] }
        var policies: Set<OID> = []
        var reached = Set(last.indices)
        for depth in self.levels.indices.reversed() where depth > 0 {
            var reachedParents: Set<Int> = []
            for index in reached {
                let node = self.levels[depth][index]
                reachedParents.formUnion(node.parents)
                let isBelowAny = node.parents.contains { self.levels[depth - 1][$0].policy == Self.anyPolicy }
                if node.policy != Self.anyPolicy, isBelowAny { policies.insert(node.policy) }
            }
            reached = reachedParents
        }
        let endsInAny = last.contains { $0.policy == Self.anyPolicy }
        guard let initial = inputs.initialPolicies, !initial.contains(Self.anyPolicy) else {
            return endsInAny ? nil : policies
        }
        return endsInAny ? initial : policies.intersection(initial)
    }
}

extension OID {
    /// The policy that stands for every policy (RFC 5280 §4.2.1.4).
    package static let anyPolicy = OID(contents: [0x55, 0x1D, 0x20, 0x00])
}
