//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import ServerTrust
import Testing

/// The portable cases of Apple's own regression tests of SecTrust, through the C surface. AppleNames/run says where they are.
@Suite("Apple's cases")
struct AppleSuiteTests {
    static let path = ProcessInfo.processInfo.environment["APPLE_CASES"]

    @Test("Each case has Apple's verdict, type of result, path and status", .enabled(if: path != nil))
    func cases() throws {
        let text = try String(contentsOfFile: try #require(Self.path), encoding: .utf8)
        let cases = try text.split(separator: "\n").map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }
        #expect(cases.count > 100)
        let judged = try cases.filter { try $0.check() }
        print(
            "Apple's cases through the C surface: \(judged.count) of \(cases.count); the others ask for policies without a public function"
        )
        #expect(judged.count >= cases.count - 7)
    }
}

/// One case.
struct Case: Decodable {
    struct Policy: Decodable {
        let type: String
        let hostname: String?
        let required_key_usage: [String]?
        let leaf_spki_sha256_pins, ca_spki_sha256_pins, additional_policies: [String]?
    }

    let id, leaf, anchor_class, expected: String
    let intermediates, anchors: [String]
    let policy: Policy
    let anchors_only: Bool
    let time_unix: Double?
    let ocsp_responses, expected_chain: [String]?
    let expected_chain_length: Int?
    let expected_result_type: String?
    let expected_osstatus: OSStatus?

    /// Judges it; `false` where its policy has no public function.
    func check() throws -> Bool {
        let isPrivate = [
            self.policy.required_key_usage, self.policy.leaf_spki_sha256_pins, self.policy.ca_spki_sha256_pins,
        ]
        .contains { $0 != nil }
        guard !isPrivate else { return false }
        guard let leaf = self.certificate(self.leaf) else {
            #expect(self.expected == "untrusted", "\(self.id)")
            return true
        }
        let trust = try self.question(about: leaf)
        #expect(SecTrustEvaluateWithError(trust, nil) == (self.expected == "trusted"), "\(self.id)")
        if let expected_result_type {
            #expect("kSecTrustResult" + "\(resultType(trust))".capitalizedFirst == expected_result_type, "\(self.id)")
        }
        if let expected_osstatus { #expect(status(trust) == expected_osstatus, "\(self.id)") }
        if let expected_chain {
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
            #expect(chain?.map { SecCertificateCopyData($0).base64EncodedString() } == expected_chain, "\(self.id)")
        }
        if let expected_chain_length {
            #expect(SecTrustGetCertificateCount(trust) == expected_chain_length, "\(self.id)")
        }
        self.checkExceptions(trust)
        return true
    }

    /// Failures that exceptions may pass over are passed over, and no others.
    private func checkExceptions(_ trust: SecTrust) {
        let type = resultType(trust)
        #expect(SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust)), "\(self.id)")
        let expected: SecTrustResultType = type == .fatalTrustFailure ? .fatalTrustFailure : .proceed
        #expect(resultType(trust) == expected, "\(self.id)")
    }

    /// Intermediates and anchors that cannot be read are left out, as a program that received them would leave them out.
    private func question(about leaf: SecCertificate) throws -> SecTrust {
        let certificates = [leaf] + self.intermediates.compactMap { self.certificate($0) }
        let anchors = self.anchors.compactMap { self.certificate($0) }
        let trust = try self.base(certificates, anchors)
        if self.anchor_class == "app" { SecTrustSetAnchorCertificates(trust, anchors) }
        if let time_unix { SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: time_unix)) }
        if let ocsp_responses { SecTrustSetOCSPResponse(trust, ocsp_responses.compactMap { Data(base64Encoded: $0) }) }
        return trust
    }

    private func certificate(_ text: String) -> SecCertificate? {
        Data(base64Encoded: text).flatMap { SecCertificateCreateWithData(nil, $0) }
    }

    /// System roots and those of administrators are no one's to set: the value has them.
    private func base(_ certificates: [SecCertificate], _ anchors: [SecCertificate]) throws -> SecTrust {
        var trust = try question(certificates, try self.policies()).trust
        trust.anchors = .none
        trust.transparency = nil
        guard let anchorClass = AnchorClass(rawValue: self.anchor_class), anchorClass != .application else {
            return SecTrust(trust)
        }
        for anchor in anchors { trust.anchors.add(anchor.certificate, as: anchorClass) }
        return SecTrust(trust)
    }

    private func policies() throws -> [SecPolicy] {
        var policies: [SecPolicy]
        switch self.policy.type {
        case "ssl-server": policies = [SecPolicyCreateSSL(true, self.policy.hostname)]
        case "ssl-client": policies = [SecPolicyCreateSSL(false, self.policy.hostname)]
        default: policies = [SecPolicyCreateBasicX509()]
        }
        if self.policy.additional_policies?.contains("revocation") == true {
            policies.append(try #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)))
        }
        return policies
    }

    private func question(_ certificates: [SecCertificate], _ policies: [SecPolicy]) throws -> SecTrust {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(certificates, policies, &trust) == errSecSuccess, "\(self.id)")
        return try #require(trust)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { self.prefix(1).uppercased() + self.dropFirst() }
}
