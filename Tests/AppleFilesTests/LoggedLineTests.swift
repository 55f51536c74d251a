//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSWire
import Testing

@testable import AppleFiles

@Suite("Lines that this package writes for Apple's systems")
struct LoggedLineTests {
    /// The violations that have a line, with the line for the server a.test.
    static let lines: [String: (line: String, fault: LoggedFault)] = [
        "no-extended-master-secret": (
            "Error [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) for server: a.test",
            .noExtendedMasterSecret
        ),
        "leaf-digest": (
            "Error [ATS violation]: Leaf certificate hash algorithm (4) is not at least SHA-256 for server: a.test",
            .leafDigest(4)
        ),
        "key-too-small": (
            "Error [ATS violation]: RSA key size 1024 bits is less than minimum 2048 bits for server: a.test",
            .keySize(kind: "RSA", bits: 1_024, minimum: 2_048)
        ),
        "signature-algorithm-not-offered": (
            "Error [ATS FCPv2.1 violation]: Server certificate signed using signature algorithm an unknown algorithm not "
                + "advertised in client hello for server: a.test", .signatureAlgorithm("an unknown algorithm")
        ),
    ]

    @Test("Violations have the line of the system's TLS, which is read as the same fault")
    func violations() throws {
        for violation in ATSViolation.oneOfEach {
            let line = violation.appleLine(for: "a.test")
            let expected = Self.lines[violation.code]
            #expect(line == expected?.line, "\(violation.code)")
            guard let line, let expected else { continue }
            let servers = LogReader.records(in: line)
            #expect(servers.map(\.name) == ["a.test"])
            #expect(servers.first?.findings.map(\.fault) == [expected.fault])
        }
        let seen = Set(ATSViolation.oneOfEach.map(\.code))
        #expect(Self.lines.keys.allSatisfy(seen.contains))
    }

    @Test("Every check of Apple's is read from the line of a trust failure", arguments: TrustCheck.allCases)
    func checks(_ check: TrustCheck) {
        let line = "Trust evaluate failure: [leaf \(check.rawValue)] [ca1 TemporalValidity] [root AnchorTrusted]"
        let fault = LogReader.records(in: line).first?.findings.first?.fault
        guard case .checks(let certificates) = fault else {
            Issue.record("not read")
            return
        }
        #expect(certificates.map(\.label) == ["leaf", "ca1", "root"])
        #expect(certificates.flatMap(\.names) == [check.rawValue, "TemporalValidity", "AnchorTrusted"])
    }
}
