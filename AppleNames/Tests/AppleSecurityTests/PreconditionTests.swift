//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import Testing

/// Wrong arguments give a status, `nil` or `false`, and change nothing.
@Suite("Preconditions")
struct PreconditionTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture.shared.get() }

    @Test("No question is made without certificates, or of anything else")
    func creating() throws {
        let good: [Any] = [self.fixture.valid]
        let policy = SecPolicyCreateBasicX509()
        let wrong: [(Any, Any?)] = [
            ([Any](), policy), ([SecCertificate](), nil), ("certificate", policy), (1, nil), (Data([1]), nil),
            ([Data([1])], policy), (good + ["certificate"], policy), ([policy], policy),
            (SecCertificateCopyKey(self.fixture.valid) as Any, nil),
            (good, "policy"), (good, 1), (good, [policy, "policy"] as [Any]), (good, self.fixture.valid),
            ([good], policy),
        ]
        for (certificates, policies) in wrong {
            var trust: SecTrust? = try anchored()
            #expect(SecTrustCreateWithCertificates(certificates, policies, &trust) == errSecParam)
            #expect(trust == nil)
        }
        for policies: Any? in [nil, policy, [policy], [Any]()] {
            var trust: SecTrust?
            #expect(SecTrustCreateWithCertificates(good, policies, &trust) == errSecSuccess)
            var copied: CFArray?
            #expect(SecTrustCopyPolicies(try #require(trust), &copied) == errSecSuccess)
            #expect(copied as? [SecPolicy] == [policy])
            #expect(SecTrustCreateWithCertificates(self.fixture.valid, policies, &trust) == errSecSuccess)
        }
    }

    @Test("What is no policy, certificate or octets is not set, and what was set stays")
    func setting() throws {
        let trust = try anchored()
        let mixed: [Any] = [self.fixture.root, "root"]
        #expect(SecTrustSetAnchorCertificates(trust, mixed) == errSecParam)
        #expect(SecTrustSetAnchorCertificates(trust, [SecPolicyCreateBasicX509()]) == errSecParam)
        for wrong: Any in [
            "policy", 1, [1], [self.fixture.valid], self.fixture.valid, [SecPolicyCreateBasicX509(), "x"] as [Any],
        ] {
            #expect(SecTrustSetPolicies(trust, wrong) == errSecParam)
        }
        for wrong: Any in ["response", 1, [1], [Data(), "x"] as [Any]] {
            #expect(SecTrustSetOCSPResponse(trust, wrong) == errSecParam)
        }
        for wrong: [Any] in [["x"], [1], [Data(), 1], [Data(count: 65_534)], [Data(count: 1 << 20)]] {
            #expect(SecTrustSetSignedCertificateTimestamps(trust, wrong) == errSecParam)
        }
        #expect(resultType(trust) == .unspecified)
        var anchors: CFArray?
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors as? [SecCertificate] == [self.fixture.root])
    }

    @Test("Octets that are nothing count for nothing")
    func octets() throws {
        let trust = try anchored()
        for octets: Any in [Data(), Data([0x30]), [Data](), [Data([1, 2, 3])]] {
            #expect(SecTrustSetOCSPResponse(trust, octets) == errSecSuccess)
            #expect(resultType(trust) == .unspecified)
        }
        #expect(SecTrustSetOCSPResponse(trust, nil) == errSecSuccess)
        for octets: [Any] in [[], [Data()], [Data([1, 2, 3])], [Data(count: 65_533)]] {
            #expect(SecTrustSetSignedCertificateTimestamps(trust, octets) == errSecSuccess)
            #expect(resultType(trust) == .unspecified)
        }
        #expect(SecTrustSetSignedCertificateTimestamps(trust, nil) == errSecSuccess)
    }

    @Test(
        "A moment out of any certificate's reach is a refusal", arguments: [-1e300, 1e300, .infinity, -.infinity, .nan])
    func moments(seconds: Double) throws {
        let trust = try anchored()
        #expect(SecTrustSetVerifyDate(trust, Date(timeIntervalSinceReferenceDate: seconds)) == errSecSuccess)
        #expect(status(trust) == errSecCertificateExpired)
    }

    @Test(
        "A text that is no name makes every certificate fail",
        arguments: ["", " ", "..", "a b", "exa\u{0}mple", "*.example.org", "[::1"])
    func names(host: String) throws {
        #expect(status(try anchored(host: host)) == errSecHostNameMismatch)
    }

    @Test("Octets that are no certificate in DER make none")
    func certificates() throws {
        let der = SecCertificateCopyData(self.fixture.valid)
        let pem = Data("-----BEGIN CERTIFICATE-----\n\(der.base64EncodedString())\n-----END CERTIFICATE-----\n".utf8)
        for octets in [
            Data(), Data([0x30, 0x80]), pem, der + [0], der.dropLast(), Data(repeating: 0xFF, count: 4_096),
        ] {
            #expect(SecCertificateCreateWithData(kCFAllocatorDefault, octets) == nil)
        }
        #expect(SecCertificateCreateWithData(nil, der) == self.fixture.valid)
        // A slice does not begin at 0.
        #expect(SecCertificateCreateWithData(nil, (Data([1, 2]) + der).dropFirst(2)) == self.fixture.valid)
    }

    @Test("Anything can be asked for its type and compared")
    func types() throws {
        let values: [(Any, CFTypeID)] = [
            (self.fixture.valid, SecCertificateGetTypeID()), (try anchored(), SecTrustGetTypeID()),
            (SecPolicyCreateBasicX509(), SecPolicyGetTypeID()), ("", CFStringGetTypeID()), (Data(), CFDataGetTypeID()),
            ([Any](), CFArrayGetTypeID()), ([String: Any](), CFDictionaryGetTypeID()), (Date(), CFDateGetTypeID()),
            (self, 0),
        ]
        for (value, type) in values { #expect(CFGetTypeID(value) == type) }
        #expect(CFEqual(SecPolicyCreateSSL(true, "a"), SecPolicyCreateSSL(true, "a")))
        #expect(!CFEqual(SecPolicyCreateSSL(true, "a"), SecPolicyCreateSSL(true, "b")))
        #expect(!CFEqual(self, self))
        #expect(SecCopyErrorMessageString(errSecHostNameMismatch, nil) == "errSecHostNameMismatch")
        #expect(SecCopyErrorMessageString(.min, nil)?.isEmpty == false)
        #expect(SecCopyErrorMessageString(errSecSuccess, nil) == "errSecSuccess")
    }
}
