//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import ServerTrust
import ServerTrustTesting
import Testing

/// The certificates of the tests, made once: a root, two intermediates, and servers below both, as Alamofire's tests have them.
struct Fixture: Sendable {
    static let host = "test.example.org"
    static let shared = Result { try Fixture() }

    let root, first, second: SecCertificate
    let valid, wildcard, several, nameless, expired, neighbor, stranger: SecCertificate
    let selfSigned, selfSignedNameless, otherRoot, foreign: SecCertificate
    /// The keys of ``valid`` and of ``second``.
    let validKey, secondKey: TestPrivateKey

    private init() throws {
        let authority = try TestAuthority(root: .root(commonName: "Root"))
        let (first, second) = (
            try authority.issue(.intermediate(commonName: "First")),
            try authority.issue(.intermediate(commonName: "Second"))
        )
        func leaf(_ names: [String], by issuer: TestCertificate, isExpired: Bool = false) throws -> TestCertificate {
            var description = CertificateDescription.leaf(dnsNames: names)
            description.commonName = "Server"
            if names.isEmpty { description.uniformResourceIdentifiers = ["https://\(Self.host)"] }
            if isExpired { description.setValidity(from: .seconds(-86_400 * 60), lasting: .seconds(86_400 * 30)) }
            return try authority.issue(description, by: issuer)
        }
        let valid = try leaf([Self.host], by: second)
        (self.root, self.first, self.second) = (
            try authority.root.apple, try first.apple, try second.apple
        )
        (self.valid, self.validKey, self.secondKey) = (try valid.apple, valid.privateKey, second.privateKey)
        self.wildcard = try leaf(["*.example.org"], by: first).apple
        self.several = try leaf([Self.host, "blog.example.org", "www.example.org"], by: first).apple
        self.nameless = try leaf([], by: second).apple
        self.expired = try leaf([Self.host], by: second, isExpired: true).apple
        self.neighbor = try leaf([Self.host], by: second).apple
        self.stranger = try leaf([Self.host], by: first).apple
        self.selfSigned = try authority.selfSigned(.leaf(dnsNames: [Self.host])).apple
        var nameless = CertificateDescription.leaf(dnsNames: [])
        nameless.commonName = Self.host
        self.selfSignedNameless = try authority.selfSigned(nameless).apple
        let other = try TestAuthority(root: .root(commonName: "Other"))
        self.otherRoot = try other.root.apple
        self.foreign = try other.issue(.leaf(dnsNames: [Self.host])).apple
    }

    /// The chain of the good server.
    var chain: [SecCertificate] { [self.valid, self.second, self.root] }
}

extension TestCertificate {
    /// The certificate as Apple's names have it.
    var apple: SecCertificate {
        get throws { try #require(SecCertificateCreateWithData(nil, Data(self.der))) }
    }
}

/// A question about certificates without an anchor.
func question(_ certificates: [SecCertificate], _ policies: Any? = nil) throws -> SecTrust {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates(certificates as CFTypeRef, policies, &trust) == errSecSuccess)
    return try #require(trust)
}

/// A question about the good server, for its name, with its root as the only anchor.
func anchored(_ certificates: [SecCertificate]? = nil, host: String? = Fixture.host) throws -> SecTrust {
    let fixture = try Fixture.shared.get()
    let trust = try question(certificates ?? fixture.chain, SecPolicyCreateSSL(true, host))
    #expect(SecTrustSetAnchorCertificates(trust, [fixture.root] as CFArray) == errSecSuccess)
    return trust
}

/// The code of the error, or `errSecSuccess`.
func status(_ trust: SecTrust) -> OSStatus {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    #expect(isTrusted == (error == nil))
    #expect(error == nil || error?.domain == NSOSStatusErrorDomain)
    return error.map { OSStatus($0.code) } ?? errSecSuccess
}

func resultType(_ trust: SecTrust) -> SecTrustResultType {
    var result = SecTrustResultType.invalid
    #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess)
    return result
}
