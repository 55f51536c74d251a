//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Names that a stranger writes so that comparing them is dear. Time is measured in Benchmarks; here the work is counted.
@Suite("Cost of crafted names")
struct NameCostTests {
    /// Ways to write names that are equal, or that have one hash and are not.
    enum Spelling: String, CaseIterable, Sendable {
        case letterCase, stringType, punctuation, attributeOrder, greek

        func name(_ level: Int, variant: Int) -> [UInt8] {
            let text = self == .greek ? "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ" : "Example Authority of the Kind that Strangers Make"
            var attributes = (0..<16).map { TestAttribute("2.5.4.\($0 + 3)", Self.spelled(text, variant + $0)) }
            switch self {
            case .letterCase, .greek: break
            case .stringType:
                attributes = attributes.map { TestAttribute($0.type, text, tag: variant % 2 == 0 ? 0x0C : 0x13) }
            case .punctuation: attributes = attributes.map { TestAttribute($0.type, text + Self.dots(level, variant)) }
            case .attributeOrder: attributes = Array(attributes[variant...] + attributes[..<variant])
            }
            return TestDER.name([attributes, attributes, attributes])
        }

        private static func spelled(_ text: String, _ variant: Int) -> String {
            let letters = text.enumerated().map {
                ($0.offset + variant) % 3 == 0 ? $0.element.lowercased() : "\($0.element)"
            }
            return letters.joined()
        }

        /// Punctuation is not part of the quick hash.
        private static func dots(_ level: Int, _ variant: Int) -> String {
            String(repeating: ".", count: level + 1) + String(repeating: "-", count: variant)
        }
    }

    @Test(
        "Each name is folded once for its certificate and once for the certificates below, whatever was supplied",
        arguments: Spelling.allCases, [(levels: 8, variants: 3), (levels: 3, variants: 2), (levels: 20, variants: 3)])
    func forged(spelling: Spelling, shape: (levels: Int, variants: Int)) throws {
        var pile: [CertificateView] = []
        for level in 0..<shape.levels {
            for variant in 0..<shape.variants {
                let subject = CraftedAuthority(name: spelling.name(level, variant: variant), .p256(1))
                let issuer = CraftedAuthority(name: spelling.name(level + 1, variant: (variant + 1) % 3), .p256(1))
                pile.append(
                    try issuer.authority(subject) {
                        $0.remove("2.5.29.14")
                        $0.remove("2.5.29.35")
                    })
            }
        }
        let leaf = try CraftedAuthority(name: spelling.name(0, variant: 2), .p256(1)).leaf { $0.remove("2.5.29.35") }
        let anchor = try CraftedAuthority(name: spelling.name(shape.levels, variant: 0), .p256(2)).authority()
        let octets = (pile + [leaf, anchor]).reduce(0) { $0 + $1.bytes.count }
        let anchors = [TrustAnchor].certificates(anchor)
        for profile in ValidationProfile.standard {
            let verdict = judgment(leaf, pile, anchors: anchors) { $0.profile = profile }
            #expect(!verdict.isAccepted)
            #expect(verdict.foldedOctets <= octets, "\(spelling) under \(profile.name)")
        }
    }

    @Test("A large name is not folded for each of many forged authorities with constraints on directory names")
    func constraints() throws {
        let letters = String(repeating: "Α", count: 8_000)
        let large = TestDER.name([[.cn(letters)], [.o(letters)]])
        // A name with more than sixteen attributes is not compared.
        let many = (0..<17).map { TestAttribute("2.5.4.\($0 + 3)", "x") }
        let authorities = (0..<30).map { CraftedAuthority("CA \($0)", .p256(UInt16(10 + $0))) }
        let pile = try zip(authorities.dropFirst(), authorities).map {
            try $0.authority($1) { $0.set(.nameConstraints(excluded: [.directory([many])])) }
        }
        let leaf = try authorities[0].leaf { $0.subject = large }
        let anchor = try CraftedAuthority("CA 29", .p256(3)).authority()
        let verdict = judgment(leaf, pile, anchors: .certificates(anchor))
        #expect(!verdict.isAccepted)
        // Its 32,000 octets are as much as four thousand comparisons: enough for one authority, and not for a second.
        #expect(verdict.has(.budgetExceeded(.nameComparisons)), "\(verdict.summary)")
    }

    @Test("Names in other spellings still chain", arguments: Spelling.allCases.filter { $0 != .punctuation })
    func chains(spelling: Spelling) throws {
        let root = CraftedAuthority(name: spelling.name(2, variant: 0), .p256(1))
        let named = CraftedAuthority(name: spelling.name(2, variant: 1), .p256(1))
        let issuing = CraftedAuthority(name: spelling.name(1, variant: 0), .p256(2))
        let other = CraftedAuthority(name: spelling.name(1, variant: 2), .p256(2))
        // The names of both levels are equal: keys tell them apart.
        let verdict = judgment(
            try other.leaf(), [try named.authority(issuing)], anchors: .certificates(try root.authority()))
        #expect(verdict.isAccepted == (spelling != .punctuation), "\(verdict.summary)")
    }
}
