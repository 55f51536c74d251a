//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Damaged bytes are refused, and never anything worse.
@Suite("Damaged certificates")
struct CertificateRobustnessTests {
    static let anchors = try! [TrustAnchor].certificates(TestChain().root)

    /// Issued by the root at once, with one of every extension that is read.
    static let rich: CertificateView = try! TestChain.root.leaf { certificate in
        for example in ExtensionCase.all
        where !["2.5.29.19", "2.5.29.17", "2.5.29.15", "2.5.29.37", "2.5.29.35"]
            .contains("\(example.kind.objectIdentifier)")
        {
            guard ![.policyConstraints, .inhibitAnyPolicy, .nameConstraints].contains(example.kind) else { continue }
            certificate.extensions.append(TestExtension("\(example.kind.objectIdentifier)", example.good[0]))
        }
    }

    @Test("The certificate they are made from is good")
    func undamaged() {
        #expect(judgment(Self.rich, anchors: Self.anchors).summary == "accepted")
    }

    @Test("A certificate cut off anywhere cannot be read, and neither can one with something left out in front")
    func truncated() {
        let der = Self.rich.bytes
        for count in 0..<der.count {
            #expect(parsingError(Array(der[..<count])) == (count == 0 ? .empty : .truncated))
            #expect(parsingError(Array(der[(count + 1)...])) != nil)
        }
    }

    @Test("A certificate with any single bit flipped is refused")
    func flippedBits() {
        let der = Self.rich.bytes
        for index in der.indices {
            for bit in 0..<8 {
                var damaged = der
                damaged[index] ^= 1 << UInt8(bit)
                guard let certificate = try? CertificateView(der: damaged) else { continue }
                let verdict = judgment(certificate, anchors: Self.anchors)
                if verdict.isAccepted { Issue.record("accepted with bit \(bit) of byte \(index) flipped") }
                if verdict.rejections.isEmpty { Issue.record("refused without a reason") }
            }
        }
    }

    @Test("An intermediate with any byte changed is refused")
    func changedIntermediate() throws {
        let chain = try TestChain()
        let der = chain.second.bytes
        for index in der.indices {
            var damaged = der
            damaged[index] = ~damaged[index]
            guard let second = try? CertificateView(der: damaged) else { continue }
            let verdict = judgment(chain.leaf, [second, chain.first], anchors: .certificates(chain.root))
            if verdict.isAccepted { Issue.record("accepted with byte \(index) changed") }
        }
    }

    @Test("An anchor with any byte changed vouches for nothing it did not before, and traps nothing")
    func changedAnchor() throws {
        let chain = try TestChain()
        for index in chain.root.bytes.indices {
            var damaged = chain.root.bytes
            damaged[index] = ~damaged[index]
            guard let root = try? CertificateView(der: damaged) else { continue }
            let verdict = judgment(chain.first, anchors: .certificates(root))
            #expect(verdict.isAccepted == false)
        }
    }

    @Test("A certificate with any byte doubled, removed or replaced cannot do harm")
    func edited() {
        let der = Self.rich.bytes
        for index in der.indices {
            var doubled = der
            doubled.insert(der[index], at: index)
            var shortened = der
            shortened.remove(at: index)
            for damaged in [doubled, shortened] {
                guard let certificate = try? CertificateView(der: damaged) else { continue }
                #expect(!judgment(certificate, anchors: Self.anchors).isAccepted)
            }
            for value: UInt8 in [0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF] where der[index] != value {
                var replaced = der
                replaced[index] = value
                guard let certificate = try? CertificateView(der: replaced) else { continue }
                #expect(!judgment(certificate, anchors: Self.anchors).isAccepted)
            }
        }
    }

    @Test("Random bytes are no certificate, with or without a plausible beginning")
    func random() {
        var generator = SeededGenerator(state: 20_260_601)
        for _ in 0..<3_000 {
            var bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(parsingError(bytes) != nil)
            bytes = DER.sequence(DER.sequence(bytes))
            #expect(parsingError(bytes) != nil)
        }
    }

    @Test("Texts for people are made from damaged names without harm")
    func texts() {
        let der = Self.rich.bytes
        for index in der.indices {
            var damaged = der
            damaged[index] ^= 0x55
            guard let certificate = try? CertificateView(der: damaged) else { continue }
            let texts = [certificate.subjectSummary, certificate.subjectDescription, certificate.issuerDescription]
            #expect(texts.allSatisfy { $0.utf8.count < 10_000 })
            _ = (certificate.dnsNames, certificate.ipAddresses, certificate.emailAddresses, certificate.commonNames)
            _ = (certificate.policyIdentifiers, certificate.policyMappings.count, certificate.extendedKeyUsages)
        }
    }
}
