//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport
import Testing

@Suite("Revocation policies (SecPolicyCreateRevocation)")
struct RevocationOptionTests {
    private func judge(
        _ options: [RevocationOptions], explicit: RevocationPolicy.Mode = .off, revokedBy list: Bool = false,
        clearedBy response: Bool = false
    ) throws -> TrustResult {
        var trust = try fetchingTrust(mode: explicit, policies: options.map(TrustPolicy.revocation))
        if list { trust.revocation.lists = [try TestRevocationList(testRoot, revoking: [leafSerial]).view()] }
        if response { trust.revocation.responses = [try TestOCSPResponse().view()] }
        return trust.evaluate()
    }

    @Test("The options have Apple's values")
    func values() {
        let options: [RevocationOptions] = [
            .ocspMethod, .crlMethod, .preferCRL, .requirePositiveResponse, .networkAccessDisabled,
        ]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(RevocationOptions.useAnyAvailableMethod.rawValue == 3)
    }

    @Test("Without an answer the leaf is refused where one is required, in a way an exception can lift")
    func required() throws {
        let result = try self.judge([[.ocspMethod, .requirePositiveResponse]])
        #expect(result.failure?.primary.check == .revocationResponseRequired)
        #expect(result.failure?.osStatus == .incompleteCertRevocationCheck)
        #expect(result.resultType == .recoverableTrustFailure)
        #expect(try self.judge([.requirePositiveResponse], clearedBy: true).isTrusted == false)
        #expect(try self.judge([[.ocspMethod, .requirePositiveResponse]], clearedBy: true).isTrusted)
    }

    @Test("What is revoked is refused by the methods that were chosen")
    func methods() throws {
        #expect(try self.judge([.crlMethod], revokedBy: true).failure?.primary.check == .revocation)
        #expect(try self.judge([.useAnyAvailableMethod], revokedBy: true).failure?.primary.check == .revocation)
        #expect(try self.judge([.ocspMethod], revokedBy: true).isTrusted)
        #expect(try self.judge([[]], revokedBy: true).isTrusted)
        #expect(try self.judge([], revokedBy: true).isTrusted)
    }

    @Test("The result's dictionary has the reason of the revocation, by Apple's key")
    func dictionary() throws {
        let revoked = try self.judge([.crlMethod], revokedBy: true).resultDictionary
        #expect(revoked["TrustRevocationReason"] as? Int == 0)
        #expect(try self.judge([.crlMethod]).resultDictionary["TrustRevocationReason"] == nil)
    }

    @Test("Several policies, and the explicit one, must each be content")
    func combinations() throws {
        #expect(try self.judge([.ocspMethod, .crlMethod], revokedBy: true, clearedBy: true).isTrusted == false)
        #expect(try self.judge([.ocspMethod], explicit: .hard).isTrusted == false)
        #expect(
            try self.judge([[.crlMethod, .requirePositiveResponse]], explicit: .soft, clearedBy: true).isTrusted
                == false)
        #expect(try self.judge([.ocspMethod], explicit: .hard, clearedBy: true).isTrusted)
    }

    @Test("Alone the policy checks what basic X.509 does")
    func alone() throws {
        let leaf = Certificate(try testRoot.leaf())
        let trust = try Trust(certificates: [leaf], policy: .revocation(.ocspMethod), configuration: .only([]))
        #expect(trust.evaluate().isTrusted == false)
        #expect(TrustPolicy.revocation(.ocspMethod) != TrustPolicy.basicX509)
    }
}
