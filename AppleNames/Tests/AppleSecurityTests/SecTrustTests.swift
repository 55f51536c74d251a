//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import ServerTrust
import Testing

@Suite("SecTrust")
struct SecTrustTests {
    let fixture: Fixture

    init() throws { self.fixture = try Fixture.shared.get() }

    @Test("A server is judged by what was set, and each refusal has Apple's code")
    func codes() throws {
        #expect(status(try anchored()) == errSecSuccess)
        #expect(status(try anchored(host: "other.example")) == errSecHostNameMismatch)
        #expect(status(try anchored(host: nil)) == errSecSuccess)
        #expect(status(try anchored([self.fixture.expired, self.fixture.second])) == errSecCertificateExpired)
        #expect(status(try anchored([self.fixture.selfSigned])) == errSecNotTrusted)
        #expect(status(try anchored([self.fixture.valid])) == errSecCreateChainFailed)
        #expect(status(try question(self.fixture.chain)) == errSecNotTrusted)
    }

    @Test("An error says which certificate, what is wrong, and what to do")
    func errors() throws {
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(try anchored(host: "other.example"), &error))
        let known = try #require(error)
        #expect(CFErrorGetCode(known) == CFIndex(errSecHostNameMismatch))
        #expect(CFErrorGetDomain(known) == NSOSStatusErrorDomain)
        #expect(CFErrorCopyDescription(known).contains("other.example"))
        #expect(known.localizedRecoverySuggestion?.isEmpty == false)
        #expect(known.userInfo[NSUnderlyingErrorKey] is NSError)
        #expect(SecTrustEvaluateWithError(try anchored(), &error))
        #expect(error == nil)
        #expect(!SecTrustEvaluateWithError(try anchored(host: "other.example"), nil))
    }

    @Test("Reading a chain evaluates, and setting anything forgets the answer")
    func laziness() throws {
        let trust = try question([self.fixture.valid, self.fixture.second], SecPolicyCreateSSL(true, Fixture.host))
        #expect(SecTrustGetCertificateCount(trust) == 2)
        #expect(resultType(trust) == .recoverableTrustFailure)
        SecTrustSetAnchorCertificates(trust, [self.fixture.root])
        #expect(resultType(trust) == .unspecified)
        #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == self.fixture.chain)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example"))
        #expect(resultType(trust) == .recoverableTrustFailure)
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: 0))
        #expect(status(trust) == errSecCertificateExpired)
    }

    @Test("The path has its certificates in order, and nothing beyond them")
    func chain() throws {
        let trust = try anchored([self.fixture.valid, self.fixture.stranger, self.fixture.root, self.fixture.second])
        #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == self.fixture.chain)
        #expect(SecTrustGetCertificateCount(trust) == 3)
        #expect(SecTrustGetCertificateAtIndex(trust, 1) == self.fixture.second)
        for place in [-1, 3, .max, .min] { #expect(SecTrustGetCertificateAtIndex(trust, place) == nil) }
    }

    @Test("Anchors of one's own are the only ones until it is said otherwise, and nil brings the system's back")
    func anchors() throws {
        let trust = try anchored()
        var anchors: CFArray?
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors as? [SecCertificate] == [self.fixture.root])
        #expect(trust.trust.anchors.certificates.count == 1)
        SecTrustSetAnchorCertificatesOnly(trust, false)
        #expect(trust.trust.anchors != .only([self.fixture.root.certificate]))
        #expect(resultType(trust) == .unspecified)
        SecTrustSetAnchorCertificates(trust, [])
        #expect(status(trust) == errSecNotTrusted)
        #expect(trust.trust.anchors == .none)
        SecTrustSetAnchorCertificates(trust, nil)
        #expect(trust.trust.anchors == .apple)
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors == nil)
        SecTrustSetAnchorCertificatesOnly(trust, true)
        #expect(trust.trust.anchors == .none)
        #expect(SecTrustCopyAnchorCertificates(&anchors) == errSecSuccess)
        #expect((anchors?.count ?? 0) > 100)
    }

    @Test("A leaf or an intermediate may be an anchor")
    func otherAnchors() throws {
        for anchor in [self.fixture.valid, self.fixture.second] {
            let trust = try anchored()
            SecTrustSetAnchorCertificates(trust, [anchor])
            #expect(resultType(trust) == .unspecified)
        }
        let trust = try question([self.fixture.selfSigned], SecPolicyCreateSSL(true, Fixture.host))
        SecTrustSetAnchorCertificates(trust, [self.fixture.selfSigned])
        #expect(resultType(trust) == .unspecified)
    }

    @Test("The moment is the one that was set, or that of the first question about it")
    func moment() throws {
        let trust = try anchored()
        let before = CFAbsoluteTimeGetCurrent()
        let first = SecTrustGetVerifyTime(trust)
        #expect(first >= before)
        #expect(SecTrustGetVerifyTime(trust) == first)
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        #expect(status(trust) == errSecSuccess)
        #expect(SecTrustGetVerifyTime(trust) == first)
        let date = Date(timeIntervalSinceReferenceDate: first - 86_400 * 365)
        SecTrustSetVerifyDate(trust, date)
        #expect(SecTrustGetVerifyTime(trust) == date.timeIntervalSinceReferenceDate)
        #expect(status(trust) == errSecCertificateExpired)
        #expect(SecTrustCopyResult(trust)?[kSecTrustEvaluationDate] as? Date == date)
    }

    @Test("The key is read without evaluating")
    func key() throws {
        let trust = try anchored()
        #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(self.fixture.valid))
        #expect(SecTrustCopyPublicKey(trust) == SecTrustCopyKey(trust))
        #expect(SecTrustCopyKey(trust) != SecCertificateCopyKey(self.fixture.second))
    }

    @Test("Policies are kept as they were given, and all of them must agree")
    func policies() throws {
        let trust = try anchored([self.fixture.several, self.fixture.first])
        let hosts = [Fixture.host, "blog.example.org", "www.example.org"].map { SecPolicyCreateSSL(true, $0) }
        #expect(SecTrustSetPolicies(trust, hosts) == errSecSuccess)
        #expect(status(trust) == errSecSuccess)
        var policies: CFArray?
        #expect(SecTrustCopyPolicies(trust, &policies) == errSecSuccess)
        #expect(policies as? [SecPolicy] == hosts)
        SecTrustSetPolicies(trust, hosts + [SecPolicyCreateSSL(true, "mail.example.org")])
        #expect(status(trust) == errSecHostNameMismatch)
    }

    @Test("A callback is called once, on its queue, with the answer")
    func callbacks() async throws {
        let queue = DispatchQueue(label: "answers")
        for (trust, code) in [
            (try anchored(), errSecSuccess), (try anchored(host: "other.example"), errSecHostNameMismatch),
        ] {
            let answer: (Bool, OSStatus) = await withCheckedContinuation { continuation in
                let status = SecTrustEvaluateAsyncWithError(trust, queue) { asked, isTrusted, error in
                    dispatchPrecondition(condition: .onQueue(queue))
                    continuation.resume(returning: (isTrusted && asked == trust, OSStatus(error?.code ?? 0)))
                }
                #expect(status == errSecSuccess)
            }
            #expect(answer == (code == errSecSuccess, code))
            let type: SecTrustResultType = await withCheckedContinuation { continuation in
                SecTrustEvaluateAsync(trust, queue) { _, type in continuation.resume(returning: type) }
            }
            #expect(type == (code == errSecSuccess ? .unspecified : .recoverableTrustFailure))
        }
    }

    @Test("Any number of threads may ask and set at once")
    func threads() async throws {
        let trust = try anchored()
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    if number % 4 == 0 { SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, Fixture.host)) }
                    _ = SecTrustEvaluateWithError(trust, nil)
                    _ = SecTrustGetCertificateCount(trust)
                    _ = SecTrustCopyExceptions(trust)
                }
            }
        }
        #expect(resultType(trust) == .unspecified)
    }

    @Test("A question of a value keeps its settings, and gives them back")
    func values() throws {
        let value = try Trust(
            certificates: self.fixture.chain.map(\.certificate), policy: .tlsServer(hostname: Fixture.host),
            configuration: .only([self.fixture.root.certificate]))
        let trust = SecTrust(value)
        #expect(resultType(trust) == .unspecified)
        SecTrustSetAnchorCertificates(trust, [self.fixture.otherRoot])
        #expect(status(trust) == errSecNotTrusted)
        SecTrustSetAnchorCertificates(trust, nil)
        #expect(resultType(trust) == .unspecified)
        #expect(trust.trust.anchors == value.anchors)
        #expect(trust.trust.policies == value.policies)
    }
}
