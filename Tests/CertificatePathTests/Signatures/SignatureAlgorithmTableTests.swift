//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CryptoExtras
import TestSupport
import Testing

@testable import CertificatePath

/// The table of `Profiles.md`: which algorithms count by profile, and where.
@Suite("Signature algorithms by profile")
struct SignatureAlgorithmTableTests {
    /// A place where a signature or a key of RSASSA-PSS may stand.
    enum Place: CaseIterable, Sendable {
        case leafSignature, intermediateSignature, anchorSignature, leafKey, intermediateKey, anchorKey, list, response

        static let onPaths = Self.allCases.filter { $0 != .list && $0 != .response }
    }

    /// A certificate's own way of saying that its key is for PSS alone.
    private static func pssKey(_ key: TestKey) -> [UInt8] {
        guard case .rsa(let key) = key else { return [] }
        return TestKey.rsaInfo(
            Array(key.publicKey.pkcs1DERRepresentation), oid: "1.2.840.113549.1.1.10", parameters: [])
    }

    private static func verdict(_ place: Place, _ profile: ValidationProfile) throws -> Verdict {
        let root = CraftedAuthority("Root", .rsa2048)
        let issuing = CraftedAuthority("Issuing", .otherRSA2048)
        let anchor = try root.authority {
            if place == .anchorSignature { $0.setAlgorithm(.pssSHA256) }
            if place == .anchorKey { $0.key = Self.pssKey(.rsa2048) }
            if place == .anchorKey { $0.setAlgorithm(.pssSHA256) }
        }
        let intermediate = try root.authority(issuing) {
            if place == .intermediateSignature || place == .anchorKey { $0.setAlgorithm(.pssSHA256) }
            if place == .intermediateKey { $0.key = Self.pssKey(.otherRSA2048) }
        }
        let leaf = try issuing.leaf(.rsa2048) {
            $0.serialNumber = DER.number(4_711)
            if place == .leafSignature || place == .intermediateKey { $0.setAlgorithm(.pssSHA256) }
            if place == .leafKey { $0.key = Self.pssKey(.rsa2048) }
        }
        return judgment(leaf, [intermediate], anchors: .certificates(anchor)) { $0.profile = profile }
    }

    private static func verdict(
        _ place: Place, _ profile: ValidationProfile, mode: RevocationPolicy.Mode
    ) throws -> Verdict {
        let root = CraftedAuthority("Root", .rsa2048)
        let list = TestRevocationList(root) { $0.algorithm = .pssSHA256 }
        var response = TestOCSPResponse(signer: root.key)
        (response.issuerName, response.issuerKey, response.algorithm) = (root.name, root.key, .pssSHA256)
        let leaf = try root.leaf { $0.serialNumber = DER.number(4_711) }
        let policy = RevocationPolicy(
            mode, lists: place == .list ? [try list.view()] : [],
            responses: place == .response ? [try response.view()] : [])
        return judgment(leaf, anchors: .certificates(try root.authority())) {
            $0.profile = profile
            $0.revocation = policy
        }
    }

    @Test(
        "RSASSA-PSS on a path is refused by apple alone, but for the signature of the anchor", arguments: Place.onPaths)
    func paths(place: Place) throws {
        for profile in ValidationProfile.standard {
            let verdict = try Self.verdict(place, profile)
            let isRefused = profile.name == "apple" && place != .anchorSignature
            let namesAlgorithm = verdict.summary.contains("algorithm-not-accepted")
            #expect(namesAlgorithm == isRefused, "\(profile.name): \(verdict.summary)")
        }
    }

    @Test(
        "apple names the certificate whose signature or key does not count",
        arguments: [
            (Place.leafSignature, "0:signature-algorithm-not-accepted"),
            (.intermediateSignature, "1:signature-algorithm-not-accepted"),
            (.leafKey, "0:key-algorithm-not-accepted"),
            (.intermediateKey, "0:signature-algorithm-not-accepted 1:key-algorithm-not-accepted"),
            (.anchorKey, "1:signature-algorithm-not-accepted 2:key-algorithm-not-accepted"),
        ])
    func reasons(place: Place, summary: String) throws {
        #expect(try Self.verdict(place, .apple).summary == summary)
    }

    @Test("Evidence that is signed by RSASSA-PSS clears no certificate for apple", arguments: [Place.list, .response])
    func evidence(place: Place) throws {
        #expect(try Self.verdict(place, .rfc5280, mode: .hard).isAccepted)
        #expect(try Self.verdict(place, .apple, mode: .hard).has(.revocationStatusUnknown(.notUsable)))
        #expect(try Self.verdict(place, .apple, mode: .soft).isAccepted)
    }

    @Test("A cache that has seen a signature of RSASSA-PSS under another profile does not let apple accept it")
    func cached() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        let leaf = try root.leaf { $0.setAlgorithm(.pssSHA256) }
        let cache = SignatureCache(remembersLeaves: true)
        for (profile, isAccepted) in [(ValidationProfile.rfc5280, true), (.apple, false)] {
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) {
                $0.profile = profile
                $0.signatureCache = cache
            }
            #expect(verdict.isAccepted == isAccepted, "\(profile.name): \(verdict.summary)")
        }
    }

    /// What is known and not verified by any profile: swift-crypto has no such digest, curve or scheme.
    @Test(
        "SHA-224, Ed448 and a bare digest identifier are not verified by any profile",
        arguments: ValidationProfile.standard)
    func unsupported(profile: ValidationProfile) throws {
        for identifier in ["1.2.840.113549.1.1.14", "1.2.840.10045.4.3.1", "1.3.101.113", "2.16.840.1.101.3.4.2.1"] {
            let isRSA = identifier.hasPrefix("1.2.840.113549")
            let root = CraftedAuthority("Root", isRSA ? .rsa2048 : .p256(1))
            let odd = isRSA ? DER.sequence(DER.oid(identifier), [5, 0]) : DER.sequence(DER.oid(identifier))
            let leaf = try root.leaf { ($0.innerAlgorithm, $0.outerAlgorithm) = (odd, odd) }
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.profile = profile }
            #expect(verdict.summary.contains("0:unsupported-signature-algorithm"), "\(identifier): \(verdict.summary)")
        }
    }
}
