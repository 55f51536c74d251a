//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// An answer that is given again must be the one that a whole evaluation gives.
@Suite("An answer at another time")
struct PathAffirmationTests {
    /// What has the shortest life, from 2025 to 2027.
    enum ShortLived: CaseIterable {
        case leaf, second, first, root

        func chain() throws -> TestChain {
            func life(_ one: ShortLived) -> CraftedAuthority.Change {
                { certificate in
                    certificate.notBefore = DER.utcTime(self == one ? "250101000000Z" : "200101000000Z")
                    certificate.notAfter = DER.utcTime(self == one ? "270101000000Z" : "350101000000Z")
                }
            }
            return try TestChain(root: life(.root), first: life(.first), second: life(.second), leaf: life(.leaf))
        }
    }

    private static func validator(
        _ chain: TestChain, at time: Timestamp = testTime, _ change: (inout ValidationRequest) -> Void = { _ in }
    ) -> PathValidator {
        let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])
        var request = ValidationRequest(time: time, purposes: [server], profile: .rfc5280)
        change(&request)
        return PathValidator(request, anchors: [TrustAnchorSet([TrustAnchor(chain.root)])])
    }

    private static func verdict(_ validator: PathValidator, on chain: TestChain) -> Verdict {
        validator.validate(chain.leaf, intermediates: [chain.first, chain.second])
    }

    @Test("A whole evaluation gives the same answer at every moment", arguments: ShortLived.allCases)
    func moments(shortLived: ShortLived) throws {
        let chain = try shortLived.chain()
        let before = Self.verdict(Self.validator(chain), on: chain)
        try #require(before.isAccepted)
        // 2025-01-01 and 2027-01-01, and a century around them.
        let (start, end): (Int64, Int64) = (1_735_689_600, 1_798_761_600)
        for seconds in [start - 1_577_836_800, start - 1, start, start + 1, end - 1, end, end + 1, end + 1_577_836_800]
        {
            let validator = Self.validator(chain, at: Timestamp(secondsSinceEpoch: seconds))
            let whole = Self.verdict(validator, on: chain)
            let affirmed = validator.affirm(before)
            #expect((affirmed != nil) == whole.isAccepted, "\(seconds)")
            #expect(whole.isAccepted == (start...end).contains(seconds), "\(seconds)")
            guard let affirmed else { continue }
            #expect(affirmed.isAccepted && affirmed.path == whole.path, "\(seconds)")
            #expect(affirmed.verifiedSignatures == 3 && whole.verifiedSignatures == 3, "\(seconds)")
            #expect(affirmed.userConstrainedPolicies == whole.userConstrainedPolicies, "\(seconds)")
        }
    }

    @Test("An answer that is no yes is not given again")
    func refused() throws {
        let chain = try TestChain()
        let other = Self.validator(chain) { $0.purposes[0].identities = [IdentityRequirement(host: "b.example")] }
        #expect(other.affirm(Self.verdict(other, on: chain)) == nil)
        let untrusted = PathValidator(other.request, anchors: [])
        #expect(untrusted.affirm(Self.verdict(untrusted, on: chain)) == nil)
    }

    @Test("The signatures are verified each time, whatever the answer says of the path", arguments: [0, 1, 2])
    func forged(index: Int) throws {
        let chain = try TestChain()
        let validator = Self.validator(chain)
        let before = Self.verdict(validator, on: chain)
        let stranger: CraftedAuthority.Change = { $0.signer = .p256(77) }
        let forged = try TestChain(
            first: index == 2 ? stranger : { _ in }, second: index == 1 ? stranger : { _ in },
            leaf: index == 0 ? stranger : { _ in })
        #expect(validator.affirm(before) != nil)
        var path = before.path
        path[index] = [forged.leaf, forged.second, forged.first][index]
        let verdict = Verdict(
            path: path, anchor: before.anchor, rejections: [], transparency: nil, policyInputs: before.policyInputs,
            policyBudget: before.policyBudget, verifiedSignatures: 3, signatureCost: 0)
        #expect(verdict.isAccepted)
        #expect(validator.affirm(verdict) == nil)
    }

    @Test("No answer is given again beside what is worth something for a time")
    func evidence() throws {
        let chain = try TestChain()
        let before = Self.verdict(Self.validator(chain), on: chain)
        let list = try TestRevocationList(CraftedAuthority("Stranger", .p256(60))).view()
        let logs = TransparencyRequest(logs: TransparencyLogs(try [TransparencyTests.log(901)]))
        let changes: [(inout ValidationRequest) -> Void] = [
            { $0.revocation.lists = [list] },
            { $0.additionalRevocation = [RevocationPolicy(.soft)] },
            { $0.additionalRevocation = [RevocationPolicy(.hard, lists: [list])] },
            { $0.transparency = logs },
        ]
        for (index, change) in changes.enumerated() {
            #expect(Self.validator(chain, change).affirm(before) == nil, "\(index)")
        }
    }

    @Test("Remembered signatures are not verified again, and those that are verified are remembered")
    func remembered() throws {
        let chain = try TestChain()
        let before = Self.verdict(Self.validator(chain), on: chain)
        let cache = SignatureCache(remembersLeaves: true)
        let validator = Self.validator(chain) { $0.signatureCache = cache }
        #expect(validator.affirm(before)?.verifiedSignatures == 3)
        #expect(validator.affirm(before)?.verifiedSignatures == 0)
        #expect(Self.verdict(validator, on: chain).verifiedSignatures == 0)
    }

    @Test("Without the budget for its signatures no answer is given again")
    func budget() throws {
        let chain = try TestChain()
        let before = Self.verdict(Self.validator(chain), on: chain)
        #expect(Self.validator(chain) { $0.budget.signatures = 2 }.affirm(before) == nil)
        #expect(Self.validator(chain) { $0.budget.signatures = 3 }.affirm(before) != nil)
    }
}
