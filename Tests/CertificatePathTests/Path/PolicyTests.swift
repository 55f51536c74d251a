//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

private let p1 = "1.2.3.1"
private let p2 = "1.2.3.2"
private let p3 = "1.2.3.3"
private let any = "2.5.29.32.0"

/// The extensions of the certificates of a path, from the one the anchor issued down to the leaf.
struct PolicyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let levels: [[TestExtension]]
    /// The levels whose subject is the name of the level above.
    var selfIssued: Set<Int> = []
    var initial: [String]?
    var explicit = false
    var inhibitsMapping = false
    var inhibitsAny = false
    /// The policies the path is valid for; `nil` stands for all; a refusal is told by `isRefused`.
    var expected: [String]? = nil
    var isRefused = false

    init(
        _ description: String, _ levels: [TestExtension]..., selfIssued: Set<Int> = [], initial: [String]? = nil,
        explicit: Bool = false, inhibitsMapping: Bool = false, inhibitsAny: Bool = false
    ) {
        self.testDescription = description
        self.levels = levels
        self.selfIssued = selfIssued
        self.initial = initial
        self.explicit = explicit
        self.inhibitsMapping = inhibitsMapping
        self.inhibitsAny = inhibitsAny
    }

    func gives(_ policies: String...) -> PolicyCase {
        var copy = self
        copy.expected = policies
        return copy
    }

    var isRefusal: PolicyCase {
        var copy = self
        copy.isRefused = true
        return copy
    }

    func judge(_ change: (inout ValidationRequest) -> Void = { _ in }) throws -> Verdict {
        var issuer = TestChain.root
        var pool: [CertificateView] = []
        for (index, extensions) in self.levels.dropLast().enumerated() {
            let name = self.selfIssued.contains(index) ? issuer.name : CraftedAuthority("CA \(index)", .p256(1)).name
            let authority = CraftedAuthority(name: name, .p256(UInt16(600 + index)))
            pool.append(try issuer.authority(authority) { for item in extensions { $0.set(item) } })
            issuer = authority
        }
        let leaf = try issuer.leaf {
            for item in self.levels.last ?? [] { $0.set(item) }
            if self.selfIssued.contains(self.levels.count - 1) { $0.subject = issuer.name }
        }
        return judgment(leaf, pool, anchors: .certificates(try TestChain.root.authority())) {
            $0.policies = PolicyInputs(
                initialPolicies: self.initial.map { Set($0.compactMap { OID($0) }) },
                requiresExplicitPolicy: self.explicit, inhibitsPolicyMapping: self.inhibitsMapping,
                inhibitsAnyPolicy: self.inhibitsAny)
            change(&$0)
        }
    }
}

extension PolicyCase {
    /// After PKITS 4.8: one policy along the path.
    static let plain: [PolicyCase] = [
        PolicyCase("no policies anywhere", [], [], []).gives(),
        PolicyCase("no policies, one required", [], [], [], explicit: true).isRefusal,
        PolicyCase("one policy throughout", [.policies([p1])], [.policies([p1])], [.policies([p1])], explicit: true)
            .gives(p1),
        PolicyCase(
            "two policies, one shared", [.policies([p1, p2])], [.policies([p2, p3])], [.policies([p2])], explicit: true
        ).gives(p2),
        PolicyCase("different policies", [.policies([p1])], [.policies([p2])], [.policies([p2])]).gives(),
        PolicyCase(
            "different policies, one required", [.policies([p1])], [.policies([p2])], [.policies([p2])], explicit: true
        ).isRefusal,
        PolicyCase("a gap in the middle", [.policies([p1])], [], [.policies([p1])], explicit: true).isRefusal,
        PolicyCase("the leaf without", [.policies([p1])], [.policies([p1])], [], explicit: true).isRefusal,
        PolicyCase("the first without", [], [.policies([p1])], [.policies([p1])], explicit: true).isRefusal,
        PolicyCase("an acceptable policy", [.policies([p1])], [.policies([p1])], initial: [p1], explicit: true).gives(
            p1),
        PolicyCase("another acceptable policy", [.policies([p1])], [.policies([p1])], initial: [p2], explicit: true)
            .isRefusal,
        PolicyCase("another acceptable policy, none required", [.policies([p1])], [.policies([p1])], initial: [p2])
            .gives(),
        PolicyCase(
            "one of two acceptable", [.policies([p1, p2])], [.policies([p1, p2])], initial: [p2, p3], explicit: true
        ).gives(p2),
        PolicyCase("nothing acceptable", [.policies([p1])], [.policies([p1])], initial: [], explicit: true).isRefusal,
    ]

    /// After PKITS 4.8 and 4.12: anyPolicy.
    static let anyPolicy: [PolicyCase] = [
        PolicyCase("any throughout", [.policies([any])], [.policies([any])], explicit: true),
        PolicyCase(
            "any throughout, one acceptable", [.policies([any])], [.policies([any])], initial: [p1], explicit: true
        ).gives(p1),
        PolicyCase("any acceptable", [.policies([any])], [.policies([any])], initial: [any], explicit: true),
        PolicyCase("any above one", [.policies([any])], [.policies([p1])], explicit: true).gives(p1),
        PolicyCase(
            "any above one that is not acceptable", [.policies([any])], [.policies([p1])], initial: [p2], explicit: true
        ).isRefusal,
        PolicyCase("any below one", [.policies([p1])], [.policies([any])], explicit: true).gives(p1),
        PolicyCase(
            "any below one that is not acceptable", [.policies([p1])], [.policies([any])], initial: [p2], explicit: true
        ).isRefusal,
        PolicyCase("any beside one", [.policies([any, p1])], [.policies([p2])], explicit: true).gives(p2),
        PolicyCase("any beside one, below two", [.policies([p1, p2])], [.policies([any, p1])], explicit: true).gives(
            p1, p2),
        PolicyCase(
            "any inhibited by the caller", [.policies([any])], [.policies([p1])], explicit: true, inhibitsAny: true
        ).isRefusal,
        PolicyCase(
            "any inhibited on the leaf by the caller", [.policies([p1])], [.policies([any])], explicit: true,
            inhibitsAny: true
        ).isRefusal,
        PolicyCase(
            "any inhibited at once", [.policies([p1]), .inhibitAnyPolicy(0)], [.policies([any])], explicit: true
        ).isRefusal,
        PolicyCase(
            "any inhibited after one", [.policies([p1]), .inhibitAnyPolicy(1)], [.policies([any])], explicit: true
        ).gives(p1),
        PolicyCase(
            "any inhibited after one, two below", [.policies([p1]), .inhibitAnyPolicy(1)], [.policies([any])],
            [.policies([any])], explicit: true
        ).isRefusal,
        PolicyCase(
            "a later, larger skip changes nothing", [.policies([p1]), .inhibitAnyPolicy(1)],
            [.policies([p1]), .inhibitAnyPolicy(5)], [.policies([any])], explicit: true
        ).isRefusal,
        PolicyCase(
            "a later, smaller skip counts", [.policies([p1]), .inhibitAnyPolicy(5)],
            [.policies([p1]), .inhibitAnyPolicy(0)], [.policies([any])], explicit: true
        ).isRefusal,
        PolicyCase(
            "a self-issued intermediate may still say any", [.policies([p1]), .inhibitAnyPolicy(0)], [.policies([any])],
            [.policies([p1])], selfIssued: [1], explicit: true
        ).gives(p1),
        PolicyCase(
            "a self-issued leaf may not", [.policies([p1]), .inhibitAnyPolicy(0)], [.policies([any])], selfIssued: [1],
            explicit: true
        ).isRefusal,
        PolicyCase(
            "a self-issued intermediate does not count", [.policies([p1]), .inhibitAnyPolicy(1)], [.policies([p1])],
            [.policies([any])], selfIssued: [1], explicit: true
        ).gives(p1),
    ]

    /// After PKITS 4.9: the number of certificates before a policy is required.
    static let explicitPolicy: [PolicyCase] = [
        PolicyCase("required at once", [.policyConstraints(explicit: 0)], []).isRefusal,
        PolicyCase("required after one", [.policyConstraints(explicit: 1)], []).isRefusal,
        PolicyCase("required after two", [.policyConstraints(explicit: 2)], []).gives(),
        PolicyCase("required after two, two below", [.policyConstraints(explicit: 2)], [], []).isRefusal,
        PolicyCase("required after three, two below", [.policyConstraints(explicit: 3)], [], []).gives(),
        PolicyCase("required and there", [.policyConstraints(explicit: 0), .policies([p1])], [.policies([p1])]).gives(
            p1),
        PolicyCase(
            "a later, larger number changes nothing", [.policyConstraints(explicit: 1)],
            [.policyConstraints(explicit: 9)], []
        ).isRefusal,
        PolicyCase(
            "a later, smaller number counts", [.policyConstraints(explicit: 9)], [.policyConstraints(explicit: 0)], []
        ).isRefusal,
        PolicyCase(
            "a self-issued intermediate does not count", [.policyConstraints(explicit: 2)], [], [], selfIssued: [1]
        ).gives(),
        PolicyCase("a self-issued leaf counts", [.policyConstraints(explicit: 1)], [], selfIssued: [1]).isRefusal,
        PolicyCase("the leaf requires one itself", [], [.policyConstraints(explicit: 0)]).isRefusal,
        PolicyCase("the leaf requires one below itself", [], [.policyConstraints(explicit: 1)]).gives(),
        PolicyCase(
            "the leaf requires one itself, and has one", [.policies([p1])],
            [.policies([p1]), .policyConstraints(explicit: 0)]
        ).gives(p1),
    ]

    /// After PKITS 4.10 and 4.11: mapping.
    static let mapping: [PolicyCase] = [
        PolicyCase(
            "mapped and used", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])], explicit: true
        ).gives(p1),
        PolicyCase(
            "mapped and not used", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p1])], explicit: true
        ).isRefusal,
        PolicyCase(
            "mapped twice over", [.policies([p1]), .policyMappings([(p1, p2)])],
            [.policies([p2]), .policyMappings([(p2, p3)])], [.policies([p3])], explicit: true
        ).gives(p1),
        PolicyCase(
            "mapped to two", [.policies([p1]), .policyMappings([(p1, p2), (p1, p3)])], [.policies([p3])], explicit: true
        ).gives(p1),
        PolicyCase(
            "two mapped to one", [.policies([p1, p2]), .policyMappings([(p1, p3), (p2, p3)])], [.policies([p3])],
            explicit: true
        ).gives(p1, p2),
        PolicyCase(
            "two mapped to one, one acceptable", [.policies([p1, p2]), .policyMappings([(p1, p3), (p2, p3)])],
            [.policies([p3])], initial: [p2], explicit: true
        ).gives(p2),
        PolicyCase(
            "the mapped name is not acceptable", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])],
            initial: [p2], explicit: true
        ).isRefusal,
        PolicyCase(
            "mapped below any", [.policies([any]), .policyMappings([(p1, p2)])], [.policies([p2])], explicit: true
        ).gives(p1),
        PolicyCase(
            "mapped below any, another used", [.policies([any]), .policyMappings([(p1, p2)])], [.policies([p3])],
            explicit: true
        ).gives(p3),
        PolicyCase(
            "mapped without being there", [.policies([p3]), .policyMappings([(p1, p2)])], [.policies([p2])],
            explicit: true
        ).isRefusal,
        PolicyCase(
            "mapped and the leaf says any", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([any])],
            explicit: true
        ).gives(p1),
        PolicyCase("mapped from any", [.policies([any]), .policyMappings([(any, p2)])], [.policies([p2])]).isRefusal,
        PolicyCase("mapped to any", [.policies([p1]), .policyMappings([(p1, any)])], [.policies([p2])]).isRefusal,
        PolicyCase(
            "mapped to any among others", [.policies([p1]), .policyMappings([(p1, p2), (p3, any)])], [.policies([p2])]
        ).isRefusal,
        PolicyCase(
            "a leaf's mapping is nothing", [.policies([p1])], [.policies([p1]), .policyMappings([(p1, p2)])],
            explicit: true
        ).gives(p1),
        PolicyCase(
            "inhibited by the caller", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])],
            explicit: true, inhibitsMapping: true
        ).isRefusal,
        PolicyCase(
            "inhibited by the caller, none required", [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])],
            inhibitsMapping: true
        ).gives(),
        PolicyCase(
            "inhibited by the caller, the other left", [.policies([p1, p3]), .policyMappings([(p1, p2)])],
            [.policies([p2, p3])], explicit: true, inhibitsMapping: true
        ).gives(p3),
        PolicyCase(
            "inhibited at once", [.policies([p1]), .policyConstraints(mapping: 0)],
            [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])], explicit: true
        ).isRefusal,
        PolicyCase(
            "inhibited after one", [.policies([p1]), .policyConstraints(mapping: 1)],
            [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])], explicit: true
        ).gives(p1),
        PolicyCase(
            "inhibited after one, two below", [.policies([p1]), .policyConstraints(mapping: 1)], [.policies([p1])],
            [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])], explicit: true
        ).isRefusal,
        PolicyCase(
            "a self-issued intermediate does not count", [.policies([p1]), .policyConstraints(mapping: 1)],
            [.policies([p1])], [.policies([p1]), .policyMappings([(p1, p2)])], [.policies([p2])], selfIssued: [1],
            explicit: true
        ).gives(p1),
        PolicyCase(
            "a later, larger number changes nothing", [.policies([p1]), .policyConstraints(mapping: 0)],
            [.policies([p1]), .policyConstraints(mapping: 5)], [.policies([p1]), .policyMappings([(p1, p2)])],
            [.policies([p2])], explicit: true
        ).isRefusal,
    ]
}

@Suite("Certificate policies")
struct PolicyTests {
    @Test("A path has the policies RFC 5280 §6.1 gives it", arguments: PolicyCase.plain + PolicyCase.anyPolicy)
    func plain(example: PolicyCase) throws { try Self.check(example) }

    @Test("A policy is required where a certificate or the caller says so", arguments: PolicyCase.explicitPolicy)
    func explicit(example: PolicyCase) throws { try Self.check(example) }

    @Test("Policies are mapped where it is allowed, and never from or to anyPolicy", arguments: PolicyCase.mapping)
    func mapping(example: PolicyCase) throws { try Self.check(example) }

    static func check(_ example: PolicyCase) throws {
        let verdict = try example.judge()
        #expect(verdict.summary == (example.isRefused ? "0:policy" : "accepted"))
        guard verdict.isAccepted else { return }
        #expect(verdict.userConstrainedPolicies == example.expected.map { Set($0.compactMap { OID($0) }) })
    }

    @Test("An anchor's own policies are not asked")
    func anchors() throws {
        let root = try TestChain.root.authority {
            $0.set(.policies([p2]))
            $0.set(.policyConstraints(explicit: 0))
        }
        let leaf = try TestChain.root.leaf { $0.set(.policies([p1])) }
        #expect(judgment(leaf, anchors: .certificates(root)).userConstrainedPolicies == [try #require(OID(p1))])
        #expect(judgment(leaf, anchors: .certificates(leaf)) { $0.policies.requiresExplicitPolicy = true }.isAccepted)
        #expect(judgment(try TestChain.root.leaf(), anchors: .certificates(root)).summary == "accepted")
    }

    @Test("Policies that multiply at every level end with the budget, soon, and are refused")
    func explosion() throws {
        // Each level maps 64 policies to the same 64: 4,096 edges, which a tree would multiply at each of 20 levels.
        let policies = (0..<64).map { "1.2.3.\($0)" }
        let pairs = policies.flatMap { from in policies.map { (from, $0) } }
        let level: [TestExtension] = [.policies(policies), .policyMappings(pairs)]
        var example = PolicyCase("explosion", level)
        for length in [3, 21] {
            example = PolicyCase(levels: Array(repeating: level, count: length - 1) + [[.policies(policies)]])
            let verdict = try example.judge()
            #expect(verdict.summary == (length == 3 ? "accepted" : "0:budget-exceeded"))
        }
    }
}

extension PolicyCase {
    fileprivate init(levels: [[TestExtension]]) {
        self.testDescription = ""
        self.levels = levels
        self.explicit = true
    }
}
