//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import ServerTrust
import ServerTrustTesting
import Testing

@testable import AppleSecurity

@Suite("SecCertificate, SecKey and SecPolicy")
struct CertificateAndKeyTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture.shared.get() }

    @Test("What a certificate says can be read")
    func certificate() throws {
        let certificate = self.fixture.valid
        #expect(SecCertificateCopySubjectSummary(certificate) == "Server")
        #expect(SecCertificateCopyShortDescription(nil, certificate, nil) == "Server")
        #expect(SecCertificateCopyLongDescription(nil, certificate, nil)?.contains("CN=Second") == true)
        var name: CFString?
        #expect(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess)
        #expect(name == "Server")
        var addresses: CFArray? = [1]
        #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess)
        #expect(addresses?.isEmpty == true)
        let number = try #require(SecCertificateCopySerialNumberData(certificate, nil))
        #expect(Array(number) == certificate.certificate.serialNumber)
        let (start, end) = (
            SecCertificateCopyNotValidBeforeDate(certificate), SecCertificateCopyNotValidAfterDate(certificate)
        )
        #expect(start == certificate.certificate.notValidBefore)
        #expect(end == certificate.certificate.notValidAfter)
    }

    @Test("A certificate without a common name has a status and no name")
    func commonName() throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["a.example"]))
        let certificate = try leaf.apple
        guard certificate.certificate.commonName == nil else { return }
        var name: CFString? = "x"
        #expect(SecCertificateCopyCommonName(certificate, &name) == -26_276)
        #expect(name == nil)
    }

    @Test("Normalized names chain, whatever case and spaces PrintableStrings have")
    func normalizedNames() throws {
        let issuer = SecCertificateCopyNormalizedIssuerSequence(self.fixture.valid)
        #expect(issuer == SecCertificateCopyNormalizedSubjectSequence(self.fixture.second))
        #expect(issuer != SecCertificateCopyNormalizedSubjectSequence(self.fixture.first))
        #expect(issuer?.first == 0x30)
        func name(_ text: String, tag: UInt8 = 0x13) -> [UInt8] {
            TLV.encoded(
                0x30, TLV.encoded(0x31, TLV.encoded(0x30, [6, 3, 0x55, 4, 3] + TLV.encoded(tag, Array(text.utf8)))))
        }
        #expect(NormalizedName.sequence(name("  Example   Root ")) == name("EXAMPLE ROOT"))
        #expect(NormalizedName.sequence(name("  Example ", tag: 0x0C)) == name("  Example ", tag: 0x0C))
        #expect(
            NormalizedName.sequence(name(String(repeating: "a", count: 300)))
                == name(String(repeating: "A", count: 300)))
        #expect(NormalizedName.sequence([0x30, 0]) == [0x30, 0])
        for octets: [UInt8] in [
            [], [0x30], [0x31, 0], [0x30, 0x85, 1, 1, 1, 1, 1], [0x30, 2, 0x31, 1], [0x30, 4, 0x31, 2, 0x30, 1],
        ] {
            #expect(NormalizedName.sequence(octets) == nil)
        }
    }

    @Test("A key has attributes, and makes itself again from its octets", arguments: TestKeyKind.allCases)
    func keys(kind: TestKeyKind) throws {
        var description = CertificateDescription.leaf(dnsNames: [Fixture.host])
        description.keyKind = kind
        let certificate = try TestAuthority().selfSigned(description).apple
        let key = try #require(SecCertificateCopyKey(certificate))
        let octets = try #require(SecKeyCopyExternalRepresentation(key, nil))
        let attributes = try #require(SecKeyCopyAttributes(key))
        #expect(attributes[kSecAttrApplicationLabel] as? Data == Data(Insecure.SHA1.hash(data: octets)))
        #expect(attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPublic)
        #expect(SecKeyGetBlockSize(key) * 8 >= key.key.sizeInBits)
        var error: CFError?
        let again = SecKeyCreateWithData(octets, attributes, &error)
        guard attributes[kSecAttrKeyType] as? String != kSecAttrKeyTypeEd25519 else {
            #expect(again == nil)
            #expect(error?.code == Int(errSecParam))
            return
        }
        #expect(again == key)
        #expect(SecKeyCopyPublicKey(key) == key)
    }

    @Test("Octets, types, classes and sizes that are no public key make none, and an error says so")
    func wrongKeys() throws {
        let key = try #require(SecCertificateCopyKey(self.fixture.valid))
        let octets = try #require(SecKeyCopyExternalRepresentation(key, nil))
        let good: CFDictionary = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPublic]
        #expect(SecKeyCreateWithData(octets, good, nil) == key)
        let wrong: [(Data, CFDictionary)] = [
            (octets, [:]), (octets, [kSecAttrKeyClass: kSecAttrKeyClassPublic]),
            (octets, [kSecAttrKeyType: kSecAttrKeyTypeEC]),
            (octets, good.merging([kSecAttrKeyClass: kSecAttrKeyClassPrivate]) { $1 }),
            (octets, good.merging([kSecAttrKeyType: kSecAttrKeyTypeRSA]) { $1 }),
            (octets, good.merging([kSecAttrKeyType: 73]) { $1 }),
            (octets, good.merging([kSecAttrKeySizeInBits: 384]) { $1 }),
            (octets, good.merging([kSecAttrKeySizeInBits: "large"]) { $1 }), (Data(), good), (octets.dropLast(), good),
            (Data([2]) + octets.dropFirst(), good), (Data(count: 65), good), (Data(count: 97), good),
            (Data(count: 1 << 16), good),
        ]
        for (octets, attributes) in wrong {
            var error: CFError?
            #expect(SecKeyCreateWithData(octets, attributes, &error) == nil)
            #expect(error?.code == Int(errSecParam))
        }
        for size: Any in [256, "256", NSNumber(value: 256), UInt(256)] {
            #expect(SecKeyCreateWithData(octets, good.merging([kSecAttrKeySizeInBits: size]) { $1 }, nil) == key)
        }
    }

    @Test("A key verifies its own signatures, and says why it does not verify others")
    func signatures() throws {
        let key = try #require(SecCertificateCopyKey(self.fixture.valid))
        let other = try #require(SecCertificateCopyKey(self.fixture.neighbor))
        let content = Data("content".utf8)
        let signer = try P256.Signing.PrivateKey(pemRepresentation: self.fixture.validKey.pem)
        let signature = try signer.signature(for: content).derRepresentation
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        #expect(SecKeyIsAlgorithmSupported(key, .verify, algorithm))
        #expect(SecKeyVerifySignature(key, algorithm, content, signature, nil))
        for (key, algorithm, content, signature, code) in [
            (other, algorithm, content, signature, errSecVerifyFailed),
            (key, algorithm, content + [0], signature, errSecVerifyFailed),
            (key, algorithm, content, Data(), errSecVerifyFailed),
            (key, .ecdsaSignatureMessageX962SHA384, content, signature, errSecVerifyFailed),
            (key, .rsaSignatureMessagePKCS1v15SHA256, content, signature, errSecParam),
            (key, .ecdsaSignatureDigestX962SHA256, content, signature, errSecParam),
            (key, SecKeyAlgorithm(rawValue: ""), content, signature, errSecParam),
        ] {
            var error: CFError?
            #expect(!SecKeyVerifySignature(key, algorithm, content, signature, &error))
            #expect(error?.code == Int(code))
        }
        for operation: SecKeyOperationType in [.sign, .encrypt, .decrypt, .keyExchange] {
            #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm))
        }
        #expect(!SecKeyIsAlgorithmSupported(key, .verify, .rsaSignatureRaw))
    }

    @Test("A policy says what it asks for, and is made again of what it says")
    func policies() throws {
        let rows: [(SecPolicy, CFString, String?, Bool)] = [
            (SecPolicyCreateBasicX509(), kSecPolicyAppleX509Basic, nil, false),
            (SecPolicyCreateSSL(true, "a.example"), kSecPolicyAppleSSL, "a.example", false),
            (SecPolicyCreateSSL(false, nil), kSecPolicyAppleSSL, nil, true),
            (try #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod)), kSecPolicyAppleRevocation, nil, false),
        ]
        for (policy, identifier, name, isClient) in rows {
            let properties = try #require(SecPolicyCopyProperties(policy))
            #expect(properties[kSecPolicyOid] as? String == identifier)
            #expect(properties[kSecPolicyName] as? String == name)
            #expect((properties[kSecPolicyClient] as? Bool ?? false) == isClient)
            guard identifier != kSecPolicyAppleRevocation else { continue }
            #expect(SecPolicyCreateWithProperties(identifier, properties) == policy)
        }
        let flags: CFDictionary = [kSecPolicyRevocationFlags: NSNumber(value: 1)]
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, flags) == rows[3].0)
    }

    @Test("No policy is made of bits and identifiers that are none, and no check is left out in silence")
    func wrongPolicies() {
        for flags: CFOptionFlags in [0, 32, 64, 33, .max] { #expect(SecPolicyCreateRevocation(flags) == nil) }
        for flags: CFOptionFlags in 1...31 { #expect(SecPolicyCreateRevocation(flags) != nil) }
        let wrong: [(Any, CFDictionary?)] = [
            (1, nil), ("", nil), (kSecPolicyAppleSMIME, nil), (kSecPolicyAppleCodeSigning, [:]),
            (kSecPolicyAppleRevocation, nil),
            (kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: "1"]),
            (kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: -1]),
            (kSecPolicyAppleRevocation, [kSecPolicyRevocationFlags: 0]), (kSecPolicyAppleSSL, [kSecPolicyName: 1]),
            (kSecPolicyAppleSSL, [kSecPolicyName: Data()]), (kSecPolicyAppleSSL, [kSecPolicyClient: "yes"]),
        ]
        for (identifier, properties) in wrong { #expect(SecPolicyCreateWithProperties(identifier, properties) == nil) }
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, nil) == SecPolicyCreateSSL(true, nil))
    }
}
