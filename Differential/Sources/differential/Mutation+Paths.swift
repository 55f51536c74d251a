//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension Mutation {
    static var paths: [Mutation] {
        [
            Mutation("missing intermediate") { scenario, random in
                guard scenario.chain.count > 2 else { return }
                scenario.missing.insert(Int.random(in: 1..<scenario.chain.count - 1, using: &random))
            },
            Mutation("shuffled") { scenario, _ in scenario.isShuffled = true },
            Mutation("look-alike") { scenario, random in
                var other = scenario.chain[Int.random(in: 1..<scenario.chain.count, using: &random)]
                other.key = TestKey.p256(77).info
                scenario.extras.append(other)
                scenario.isShuffled = true
            },
            Mutation("expired twin") { scenario, random in
                var other = scenario.chain[Int.random(in: 1..<scenario.chain.count, using: &random)]
                other.notAfter = DER.utcTime("250101000000Z")
                scenario.extras.append(other)
                scenario.isShuffled = true
            },
            Mutation("nothing trusted") { scenario, _ in scenario.trusted = [] },
            Mutation("intermediate trusted") { scenario, _ in scenario.trusted = [1] },
            Mutation("leaf trusted") { scenario, _ in scenario.trusted = [0] },
            Mutation("self-issued intermediate") { scenario, random in
                let top = scenario.chain.count - 1
                let root = scenario.chain[top]
                let key = TestKey.p256(78)
                var link = root
                (link.key, link.serialNumber) = (key.info, DER.number(30_000))
                link.set(.subjectKeyIdentifier(key.identifier))
                scenario.chain[top - 1].signer = key
                scenario.chain[top - 1].algorithm = key.algorithm
                scenario.chain[top - 1].set(.authorityKeyIdentifier(key.identifier))
                scenario.chain.insert(link, at: top)
                scenario.trusted = [top + 1]
            },
        ]
    }

    static var signatures: [Mutation] {
        [
            Mutation("signature damaged") { scenario, random in
                let index = Int.random(in: 0..<scenario.chain.count, using: &random)
                scenario.broken.insert(index)
                scenario.changes.append("\(scenario.place(index)): signature damaged")
            },
            Mutation("inner algorithm differs", .any) { certificate, random in
                certificate.innerAlgorithm = random.pick([
                    TestAlgorithm.rsaSHA512.identifier, DER.sequence(DER.oid("1.2.840.113549.1.1.11")),
                    DER.sequence(DER.oid("1.2.840.10045.4.3.2"), [5, 0]),
                ])
            },
            Mutation("signed over SHA-1") { scenario, random in self.sign(&scenario, &random, .ecdsaSHA1, .rsaSHA1) },
            Mutation("signed over SHA-384") { scenario, random in
                self.sign(&scenario, &random, .ecdsaSHA384, .rsaSHA384)
            },
            Mutation("signed over SHA-512") { scenario, random in
                self.sign(&scenario, &random, .ecdsaSHA512, .rsaSHA512)
            },
            Mutation("PSS") { scenario, random in self.sign(&scenario, &random, .ecdsaSHA256, .pssSHA256) },
            Mutation("key of another kind") { scenario, random in
                let index = Int.random(in: 0..<scenario.chain.count, using: &random)
                let key = random.pick([TestKey.rsa1024, .ed25519(5), .p521(6)])
                let kind = if case .rsa = key { "RSA-1024" } else { "\(key.algorithm)" }
                scenario.changes.append("\(scenario.place(index)): key \(kind)")
                self.replaceKey(of: index, with: key, in: &scenario)
            },
        ]
    }

    private static func sign(
        _ scenario: inout Scenario, _ random: inout SplitMix, _ ecdsa: TestAlgorithm, _ rsa: TestAlgorithm
    ) {
        let index = Int.random(in: 0..<scenario.chain.count, using: &random)
        scenario.changes.append("\(scenario.place(index)): signed with \(ecdsa), \(rsa)")
        switch scenario.chain[index].signer {
        case .rsa: scenario.chain[index].algorithm = rsa
        case .ed25519: break
        case .p256, .p384, .p521: scenario.chain[index].algorithm = ecdsa
        }
    }

    private static func replaceKey(of index: Int, with key: TestKey, in scenario: inout Scenario) {
        scenario.chain[index].key = key.info
        if index > 0 { scenario.chain[index].set(.subjectKeyIdentifier(key.identifier)) }
        let last = scenario.chain.count - 1
        for child in [index - 1, index == last ? index : -1] where child >= 0 {
            (scenario.chain[child].signer, scenario.chain[child].algorithm) = (key, key.algorithm)
            scenario.chain[child].set(.authorityKeyIdentifier(key.identifier))
        }
    }

    static var encodings: [Mutation] {
        [
            Mutation("extension with trailing bytes", .any) { certificate, random in
                guard let index = certificate.extensions.indices.randomElement(using: &random) else { return }
                certificate.extensions[index].value += [5, 0]
            },
            Mutation("extension cut short", .any) { certificate, random in
                guard let index = certificate.extensions.indices.randomElement(using: &random) else { return }
                certificate.extensions[index].value.removeLast()
            },
            Mutation("TRUE as 01", .issuers) { certificate, _ in
                certificate.set(TestExtension("2.5.29.19", critical: true, DER.sequence([0x01, 0x01, 0x01])))
            },
            Mutation("FALSE written out", .leaf) { certificate, _ in
                certificate.set(TestExtension("2.5.29.19", DER.sequence([0x01, 0x01, 0x00])))
            },
            Mutation("length in more octets than needed", .any) { certificate, random in
                guard let index = certificate.extensions.indices.randomElement(using: &random) else { return }
                let value = certificate.extensions[index].value
                guard value.count < 130, value.count > 1 else { return }
                certificate.extensions[index].value = [value[0], 0x81, value[1]] + value.dropFirst(2)
            },
            Mutation("key usage bits", .any) { certificate, random in
                let bits: [[UInt8]] = [[3, 2, 0, 0x86], [3, 1, 0], [3, 2, 1, 0x87], [3, 3, 0, 0x86, 0x00]]
                certificate.set(TestExtension("2.5.29.15", critical: true, random.pick(bits)))
            },
            Mutation("no extended key usage in the list", .any) { certificate, _ in
                certificate.set(TestExtension("2.5.29.37", DER.sequence()))
            },
            Mutation("empty extensions", .any) { certificate, _ in
                certificate.extensionField = DER.element(0xA3, DER.sequence())
            },
            Mutation("something after the extensions", .any) { certificate, _ in certificate.trailer = [5, 0] },
        ]
    }
}
