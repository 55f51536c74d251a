//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Signature cache")
struct SignatureCacheTests {
    /// What goes wrong in one place of a chain that is otherwise the one the cache has seen.
    enum Fault: CaseIterable {
        case forgedIntermediate, forgedLeaf, resignedIntermediate, otherRoot, expired, notAuthority, pathLength
        case nameConstraints, otherName
    }

    @Test(
        "A warm cache accepts nothing that a cold engine refuses, with leaves in it or not",
        arguments: Fault.allCases, [false, true])
    func faults(fault: Fault, remembersLeaves: Bool) throws {
        let good = try TestChain()
        let cache = SignatureCache(remembersLeaves: remembersLeaves)
        #expect(good.judge { $0.signatureCache = cache }.isAccepted)
        let count = remembersLeaves ? 3 : 2
        #expect(cache.count == count)
        let bad = try faulty(fault, good)
        let cold = bad.judge { change(&$0, for: fault) }
        let warm = bad.judge {
            change(&$0, for: fault)
            $0.signatureCache = cache
        }
        #expect(!cold.isAccepted)
        #expect(warm.summary == cold.summary)
        // Nothing of a refused path was remembered either.
        #expect(cache.count == count)
    }

    @Test("Every bit of a remembered leaf counts")
    func leafBits() throws {
        let good = try TestChain()
        let cache = SignatureCache(remembersLeaves: true)
        for _ in 0..<2 {
            #expect(good.judge { $0.signatureCache = cache }.isAccepted)
        }
        #expect(good.judge { $0.signatureCache = cache }.verifiedSignatures == 0)
        for offset in stride(from: 4, to: good.leaf.bytes.count, by: 3) {
            var bytes = good.leaf.bytes
            bytes[offset] ^= 1 << UInt8(offset % 8)
            guard let damaged = try? CertificateView(der: bytes) else { continue }
            let verdict = judgment(damaged, [good.first, good.second], anchors: .certificates(good.root)) {
                $0.signatureCache = cache
            }
            #expect(!verdict.isAccepted, "offset \(offset)")
        }
    }

    @Test("Every bit of a remembered intermediate counts")
    func bits() throws {
        let good = try TestChain()
        let cache = SignatureCache()
        #expect(good.judge { $0.signatureCache = cache }.isAccepted)
        for offset in stride(from: 4, to: good.second.bytes.count, by: 3) {
            var bytes = good.second.bytes
            bytes[offset] ^= 1 << UInt8(offset % 8)
            guard let damaged = try? CertificateView(der: bytes) else { continue }
            let verdict = judgment(good.leaf, [good.first, damaged], anchors: .certificates(good.root)) {
                $0.signatureCache = cache
            }
            #expect(!verdict.isAccepted, "offset \(offset)")
        }
    }

    @Test("What was seen before is not verified again")
    func savings() throws {
        let chain = try TestChain()
        let cache = SignatureCache()
        #expect(chain.judge { $0.signatureCache = cache }.verifiedSignatures == 3)
        #expect(chain.judge { $0.signatureCache = cache }.verifiedSignatures == 1)
        cache.removeAll()
        #expect(chain.judge { $0.signatureCache = cache }.verifiedSignatures == 3)
    }

    @Test("A chain that is refused teaches the cache nothing")
    func refused() throws {
        let chain = try TestChain(leaf: { $0.notAfter = DER.utcTime("250101000000Z") })
        let cache = SignatureCache()
        #expect(chain.judge { $0.signatureCache = cache }.summary == "0:expired")
        #expect(cache.count == 0)
    }

    @Test("The capacity holds, and what is used stays", arguments: [2, 4, 8])
    func capacity(capacity: Int) throws {
        let cache = SignatureCache(capacity: capacity)
        let chain = try TestChain()
        for number in 0..<12 {
            let other = try CraftedAuthority("Root \(number)", .p256(1)).authority()
            cache.insert(other, signedBy: PublicKeySource(other))
            cache.insert(chain.second, signedBy: PublicKeySource(chain.first))
            #expect(cache.contains(chain.second, signedBy: PublicKeySource(chain.first)))
            #expect(!cache.contains(chain.second, signedBy: PublicKeySource(chain.root)))
            #expect(cache.count <= capacity)
        }
    }

    @Test("Many threads with one cache, store and chain come to the verdicts of one thread alone")
    func threads() async throws {
        let good = try TestChain()
        let bad = try faulty(.forgedLeaf, good)
        let cache = SignatureCache(capacity: 4)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let isGood = number % 2 == 0
                    if number % 16 == 7 { cache.removeAll() }
                    let verdict = (isGood ? good : bad).judge { $0.signatureCache = cache }
                    return verdict.isAccepted == isGood
                }
            }
            for await isAsExpected in group { #expect(isAsExpected) }
        }
    }
}

private func faulty(_ fault: SignatureCacheTests.Fault, _ good: TestChain) throws -> TestChain {
    var chain = good
    switch fault {
    case .forgedIntermediate: chain.second = try damaged(good.second)
    case .forgedLeaf: chain.leaf = try damaged(good.leaf)
    case .resignedIntermediate:
        // The same fields, signed by a key that is not the issuer's.
        chain.second = try CraftedAuthority("First", .p256(9)).authority(TestChain.second) {
            $0.extensions.removeLast()
        }
    case .otherRoot: chain.root = try CraftedAuthority("Root", .p256(8)).authority()
    case .expired: chain.leaf = try TestChain(leaf: { $0.notAfter = DER.utcTime("250101000000Z") }).leaf
    case .notAuthority: chain.second = try TestChain(second: { $0.extensions.removeFirst() }).second
    case .pathLength:
        chain.first = try TestChain(first: { $0.extensions[0] = .basicConstraints(true, pathLength: 0) }).first
    case .nameConstraints:
        chain.first = try TestChain(first: { $0.extensions.append(.nameConstraints(excluded: [.dns("example.com")])) })
            .first
    case .otherName: break
    }
    return chain
}

private func change(_ request: inout ValidationRequest, for fault: SignatureCacheTests.Fault) {
    guard fault == .otherName else { return }
    request.purposes = [PurposeRequirement(.server, identities: [IdentityRequirement(host: "other.example.com")])]
}

/// A certificate with one bit of its signature changed.
private func damaged(_ certificate: CertificateView) throws -> CertificateView {
    var bytes = certificate.bytes
    bytes[bytes.count - 1] ^= 1
    return try CertificateView(der: bytes)
}
