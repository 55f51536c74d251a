//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import ServerTrust
import Testing

@Suite("What an answer tells")
struct ResultTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture.shared.get() }

    private func stapled(_ status: OCSPAnswer.Status) throws -> Data {
        try OCSPAnswer.encoded(
            about: self.fixture.valid, issuer: self.fixture.second, key: self.fixture.secondKey, status)
    }

    @Test("A result has Apple's keys, and those that are not true are not there")
    func keys() throws {
        let result = try #require(SecTrustCopyResult(try anchored()))
        #expect(result[kSecTrustResultValue] as? Int == 4)
        #expect(result[kSecTrustEvaluationDate] is Date)
        #expect(result[kSecTrustResultDetails] as? [[String: Bool]] == [[:], [:], [:]])
        for key in [
            kSecTrustRevocationChecked, kSecTrustRevocationValidUntilDate, kSecTrustExtendedValidation,
            kSecTrustOrganizationName, kSecTrustCertificateTransparency, kSecTrustRevocationReason,
            kSecTrustQCStatements, kSecTrustQWACValidation,
        ] {
            #expect(result[key] == nil, "\(key)")
        }
        let refused = try #require(SecTrustCopyResult(try anchored(host: "other.example")))
        #expect(refused[kSecTrustResultValue] as? Int == 5)
        #expect(refused[kSecTrustResultDetails] as? [[String: Bool]] == [["SSLHostname": false], [:], [:]])
    }

    @Test("Sentences say what is wrong, and there are none about a trusted server")
    func properties() throws {
        #expect(SecTrustCopyProperties(try anchored()) == nil)
        let properties = SecTrustCopyProperties(try anchored(host: "other.example")) as? [[String: String]]
        #expect(properties?.count == 1)
        #expect(properties?.first?[kSecPropertyKeyType] == kSecPropertyTypeError)
        #expect(properties?.first?[kSecPropertyKeyValue]?.contains("other.example") == true)
    }

    @Test(
        "A stapled response that says revoked is a fatal refusal that nothing lifts, and it goes away with the response"
    )
    func revoked() throws {
        let trust = try anchored()
        #expect(SecTrustSetOCSPResponse(trust, try self.stapled(.revoked)) == errSecSuccess)
        #expect(status(trust) == errSecCertificateRevoked)
        #expect(resultType(trust) == .fatalTrustFailure)
        #expect(SecTrustCopyResult(trust)?[kSecTrustRevocationReason] as? Int == 1)
        #expect(SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust)))
        SecTrustSetOptions(trust, [.allowExpired, .allowExpiredRoot, .implicitAnchors])
        #expect(resultType(trust) == .fatalTrustFailure)
        #expect(SecTrustSetExceptions(trust, nil) == false)
        SecTrustSetOCSPResponse(trust, nil)
        #expect(resultType(trust) == .unspecified)
        SecTrustSetOCSPResponse(trust, [try self.stapled(.good), try self.stapled(.revoked)])
        #expect(resultType(trust) == .fatalTrustFailure)
    }

    @Test("A response from another than the issuer counts for nothing")
    func forged() throws {
        let forged = try OCSPAnswer.encoded(
            about: self.fixture.valid, issuer: self.fixture.second, key: self.fixture.validKey, .revoked)
        let trust = try anchored()
        SecTrustSetOCSPResponse(trust, forged)
        #expect(resultType(trust) == .unspecified)
    }

    @Test("A required answer is given by a good response, and without one the server is refused, which exceptions lift")
    func required() throws {
        let flags = kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse
        let policies = [SecPolicyCreateSSL(true, Fixture.host), try #require(SecPolicyCreateRevocation(flags))]
        let trust = try anchored()
        SecTrustSetPolicies(trust, policies)
        #expect(status(trust) == errSecIncompleteCertRevocationCheck)
        let exceptions = SecTrustCopyExceptions(trust)
        SecTrustSetOCSPResponse(trust, try self.stapled(.good))
        #expect(resultType(trust) == .unspecified)
        SecTrustSetOCSPResponse(trust, nil)
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(resultType(trust) == .proceed)
    }

    @Test(
        "Revocation is checked when every certificate below the anchor is known to be good, until the first answer is stale"
    )
    func checked() throws {
        let trust = try anchored()
        let now = Date()
        SecTrustSetOCSPResponse(trust, try self.stapled(.good))
        // Nothing tells of the intermediate.
        #expect(SecTrustCopyResult(trust)?[kSecTrustRevocationChecked] == nil)
        SecTrustSetAnchorCertificates(trust, [self.fixture.second])
        let result = try #require(SecTrustCopyResult(trust))
        #expect(result[kSecTrustRevocationChecked] as? Bool == true)
        let until = try #require(result[kSecTrustRevocationValidUntilDate] as? Date)
        #expect(abs(until.timeIntervalSince(now) - 3_600) < 60)
    }

    @Test("Timestamps become a list of one each, and what was set before is gone")
    func timestamps() throws {
        let trust = try anchored()
        SecTrustSetSignedCertificateTimestamps(trust, [Data([1, 2, 3]), Data([4])])
        #expect(trust.trust.transparency?.timestampLists == [[0, 5, 0, 3, 1, 2, 3], [0, 3, 0, 1, 4]])
        SecTrustSetSignedCertificateTimestamps(trust, nil)
        #expect(trust.trust.transparency?.timestampLists == [])
    }

    @Test("Whether something may be fetched follows from the policies, until it is said")
    func network() throws {
        func isAllowed(_ trust: SecTrust) -> Bool {
            var allowed = false
            #expect(SecTrustGetNetworkFetchAllowed(trust, &allowed) == errSecSuccess)
            return allowed
        }
        let trust = try anchored()
        #expect(isAllowed(trust))
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        #expect(!isAllowed(trust))
        SecTrustSetNetworkFetchAllowed(trust, true)
        #expect(isAllowed(trust))
        SecTrustSetNetworkFetchAllowed(trust, false)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil))
        #expect(!isAllowed(trust))
    }
}
