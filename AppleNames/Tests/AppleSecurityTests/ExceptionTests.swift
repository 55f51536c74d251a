//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import Testing

@Suite("Exceptions of SecTrust")
struct ExceptionTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture.shared.get() }

    private func expired() throws -> SecTrust { try anchored([self.fixture.expired, self.fixture.second]) }

    @Test("What was recorded is passed over for the same certificate, and the answer is proceed")
    func recorded() throws {
        let exceptions = try #require(SecTrustCopyExceptions(try self.expired()))
        let trust = try self.expired()
        #expect(resultType(trust) == .recoverableTrustFailure)
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(resultType(trust) == .proceed)
        #expect(SecTrustEvaluateWithError(trust, nil))
        // Another failure was not recorded.
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example"))
        #expect(status(trust) == errSecHostNameMismatch)
    }

    @Test("Nothing for another certificate or that cannot be read is set, and it takes away what was in force")
    func discarded() throws {
        let trust = try self.expired()
        let own = try #require(SecTrustCopyExceptions(trust))
        let others = try #require(SecTrustCopyExceptions(try anchored(host: "other.example")))
        for bad in [others, Data(), Data("bplist00".utf8), Data(repeating: 0x5B, count: 100_000)] {
            #expect(SecTrustSetExceptions(trust, own))
            #expect(!SecTrustSetExceptions(trust, bad))
            #expect(resultType(trust) == .recoverableTrustFailure)
        }
        #expect(SecTrustSetExceptions(trust, nil))
        #expect(SecTrustSetExceptions(trust, own))
        #expect(!SecTrustSetExceptions(trust, nil))
        #expect(resultType(trust) == .recoverableTrustFailure)
    }

    @Test("Exceptions are those of the moment without exceptions, octet by octet the same each time")
    func stable() throws {
        let trust = try self.expired()
        let first = SecTrustCopyExceptions(trust)
        #expect(SecTrustSetExceptions(trust, first))
        #expect(SecTrustCopyExceptions(trust) == first)
    }

    @Test("Options pass over what they name and nothing else")
    func options() throws {
        let trust = try self.expired()
        for options: SecTrustOptionFlags in [[], .leafIsCA, .useTrustSettings, .fetchIssuerFromNet, .allowExpiredRoot] {
            #expect(SecTrustSetOptions(trust, options) == errSecSuccess)
            #expect(status(trust) == errSecCertificateExpired)
        }
        #expect(SecTrustSetOptions(trust, .allowExpired) == errSecSuccess)
        #expect(resultType(trust) == .proceed)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example"))
        #expect(SecTrustSetOptions(trust, .allowExpired) == errSecSuccess)
        #expect(status(trust) == errSecHostNameMismatch)
    }

    @Test("Options keep exceptions that are in force")
    func merged() throws {
        let name = try #require(SecTrustCopyExceptions(try anchored(host: "other.example")))
        let trust = try anchored(host: "other.example")
        #expect(SecTrustSetExceptions(trust, name))
        #expect(SecTrustSetOptions(trust, .allowExpired) == errSecSuccess)
        #expect(resultType(trust) == .proceed)
    }

    @Test(
        "Implicit anchors are self-signed ones: without the option they are refused, and an incomplete path always is")
    func implicitAnchors() throws {
        let trust = try anchored([self.fixture.selfSigned])
        #expect(status(trust) == errSecNotTrusted)
        SecTrustSetOptions(trust, .implicitAnchors)
        #expect(resultType(trust) == .proceed)
        let incomplete = try anchored([self.fixture.foreign])
        SecTrustSetOptions(incomplete, .implicitAnchors)
        #expect(status(incomplete) == errSecCreateChainFailed)
    }

    @Test("With answers required for each certificate, none at hand is a refusal")
    func requiredAnswers() throws {
        let trust = try anchored()
        SecTrustSetOptions(trust, .requireRevPerCert)
        #expect(status(trust) == errSecIncompleteCertRevocationCheck)
    }
}
