//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSWire
import Testing

/// The suites of each group in its order: the engine's list and, where it has another, the documentation's.
private let groups: [(ATSCipherSuiteGroup, engine: [UInt16], documentation: [UInt16])] = [
    (
        .ats,
        [0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xCCA8, 0xC014, 0xC013],
        [0x1301, 0x1302, 0xC02C, 0xC02B, 0xC024, 0xC00A, 0xC023, 0xC009, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC013]
    ),
    (
        .atsAndCompatible,
        [
            0x009D, 0x009C, 0x0035, 0x002F, 0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC00A, 0xC009, 0xC030,
            0xC02F, 0xCCA8, 0xC014, 0xC013,
        ],
        [
            0x009D, 0x009C, 0x003D, 0x0035, 0x003C, 0x002F, 0x1301, 0x1302, 0xC02C, 0xC02B, 0xC024, 0xC00A, 0xC023,
            0xC009, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC013,
        ]
    ),
    (
        .fcp21, [0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xC030, 0xC02F],
        [0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xC030, 0xC02F]
    ),
]

/// Every suite that is known, and some that are not.
private let suites = CipherSuite.known + [0x0000, 0x1304, 0x13FF, 0xC02A, 0xFFFF].map(CipherSuite.init)

@Suite("Each cipher suite of each group")
struct SuiteTableTests {
    private func requirements(_ group: ATSCipherSuiteGroup, _ strictness: ATSStrictness) -> ATSRequirements {
        var requirements = ATSRequirements()
        requirements.strictness = strictness
        requirements.minimumTLSVersion = .tls12
        if group == .fcp21 {
            (requirements.cipherSuiteGroup, requirements.niapPackage) = (.ats, .fcp21)
        } else {
            requirements.cipherSuiteGroup = group
        }
        return requirements
    }

    @Test("Only what is in the list passes", arguments: ATSStrictness.allCases)
    func verdicts(strictness: ATSStrictness) {
        for (group, engine, documentation) in groups {
            var list = strictness == .engine ? engine : documentation
            // A package never allows what is refused without it.
            if group == .fcp21 {
                list = list.filter(ATSCipherSuiteGroup.ats.suites(strictness).map(\.rawValue).contains)
            }
            let requirements = self.requirements(group, strictness)
            for suite in suites {
                let facts = ATSConnection(
                    version: suite.isTLS13 ? .tls13 : .tls12, cipherSuite: suite, usesExtendedMasterSecret: true,
                    trust: nil)
                let codes = requirements.violations(ofTransport: facts).compactMap(\.osStatus?.rawValue)
                #expect(codes == (list.contains(suite.rawValue) ? [] : [-9882]), "\(group) \(suite)")
            }
        }
    }

    @Test("The lists are those of the tables, in their order", arguments: ATSStrictness.allCases)
    func lists(strictness: ATSStrictness) {
        for (group, engine, documentation) in groups {
            let list = strictness == .engine ? engine : documentation
            #expect(group.suites(strictness).map(\.rawValue) == list)
            #expect(self.requirements(group, strictness).cipherSuites.map(\.rawValue) == list)
        }
    }

    @Test("Forward secrecy is what the compatible ones lack, and nothing else does")
    func forwardSecrecy() {
        for strictness in ATSStrictness.allCases {
            let ephemeral = ATSCipherSuiteGroup.ats.suites(strictness)
            #expect(ephemeral.allSatisfy { $0.hasForwardSecrecy })
            let added = ATSCipherSuiteGroup.atsAndCompatible.suites(strictness).filter { !ephemeral.contains($0) }
            #expect(added.allSatisfy { $0.keyExchange == .rsa } && added.count == (strictness == .engine ? 4 : 6))
            #expect(Set(ATSCipherSuiteGroup.unrestricted.suites(strictness)) == Set(added + ephemeral))
        }
    }

    @Test("FCP_v2.1 has no CBC, no ChaCha20 before TLS 1.3, and no static RSA")
    func fcp() {
        for suite in ATSCipherSuiteGroup.fcp21.suites() where !suite.isTLS13 {
            #expect(suite.protection == .aesGCM && suite.keyExchange == .ecdhe)
        }
    }
}
