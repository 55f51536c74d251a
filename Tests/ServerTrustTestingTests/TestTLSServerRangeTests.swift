//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite("A range of TLS servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TestTLSServerRangeTests {
    @Test("Has one server for each fault, each on a port of its own")
    func oneServerForEachFault() async throws {
        let range = try await TestTLSServerRange.start()
        #expect(range.targets.map(\.fault) == TLSFault.allCases)
        #expect(Set(range.targets.map(\.port)).count == TLSFault.allCases.count)
        #expect(try Certificate(pemEncoded: range.rootPEM) == Certificate(derEncoded: range.rootDER))
        try await range.shutdown()
        try await range.shutdown()
    }

    @Test("swift-certificates agrees where it knows the rule")
    func chainsAreWhatTheyClaim() async throws {
        let range = try await TestTLSServerRange.start()
        // It checks neither the host name, extended key usage nor lifetime, and takes SHA-1.
        let unchecked: Set<TLSFault> = [
            .wrongHost, .wrongEKU, .lifetimeOverLimit, .wildcardMismatch, .sha1Signature,
        ]
        // It cannot read a certificate with an RSA key of fewer than 2048 bits.
        for target in range.targets where target.fault != .weakRSA {
            let certificates = try target.certificates.map { try Certificate(derEncoded: $0) }
            var verifier = Verifier(rootCertificates: CertificateStore([range.root.certificate])) { RFC5280Policy() }
            let result = await verifier.validate(
                leaf: certificates[0],
                intermediates: CertificateStore(certificates.dropFirst())
            )
            let isValid = if case .validCertificate = result { true } else { false }
            #expect(isValid == (target.expectation != .refused || unchecked.contains(target.fault)), "\(target.fault)")
        }
        try await range.shutdown()
    }

    @Test("Names and summaries are distinct and fit a line")
    func namesAndSummaries() {
        #expect(Set(TLSFault.allCases.map(\.summary)).count == TLSFault.allCases.count)
        for fault in TLSFault.allCases {
            #expect(fault.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
            #expect(fault.summary.count <= 80)
        }
    }
}
