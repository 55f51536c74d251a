//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSWire
import Testing

private let schemes: [UInt16] = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201]

@Suite("What Apple's systems offer")
struct ATSClientHelloTests {
    @Test(
        "ECDSA over SHA-512, Ed25519 and groups of no Apple hello are never offered",
        arguments: [
            ATSCipherSuiteGroup.ats, .atsAndCompatible, .unrestricted, .fcp21,
        ])
    func neverOffered(suites: ATSCipherSuiteGroup) {
        for system in [ATSSystem.newest, ATSSystem(.iOS, 18), ATSSystem(.macOS, 26)] {
            let hello = ATSClientHello(suites, system: system)
            let numbers = Set(hello.signatureSchemes.map(\.rawValue))
            #expect(numbers.isDisjoint(with: [0x0603, 0x0807, 0x0808, 0x0203, 0x0202, 0x0101]))
            #expect(Set(hello.groups).isDisjoint(with: [.x448, .mlkem768, .secp256r1MLKEM768]))
            #expect(Set(hello.cipherSuites.map(\.rawValue)).isDisjoint(with: [0x1304, 0x1305, 0x009E, 0x0005]))
        }
    }

    @Test("Groups and signature schemes come in the order of the captured hello")
    func order() {
        let hello = ATSClientHello(.ats)
        #expect(hello.signatureSchemes.map(\.rawValue) == schemes)
        #expect(hello.groups == [.x25519MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1])
        #expect(hello.cipherSuites == ATSCipherSuiteGroup.ats.suites(.engine))
    }

    @Test("FCP_v2.1 leaves out signatures over SHA-1, and nothing else does")
    func sha1() {
        #expect(ATSClientHello(.fcp21).signatureSchemes.map(\.rawValue) == schemes.dropLast())
        #expect(ATSClientHello(.atsAndCompatible).signatureSchemes.map(\.rawValue) == schemes)
        #expect(ATSClientHello(.unrestricted).signatureSchemes.map(\.rawValue) == schemes)
    }

    @Test(
        "The hybrid group is offered since the releases of 2025",
        arguments: [
            (ATSSystem(.iOS, 18, minor: 4), false), (ATSSystem(.iOS, 26), true), (ATSSystem(.macOS, 15), false),
            (ATSSystem(.macOS, 26), true), (ATSSystem(.watchOS, 11), false), (.newest, true),
        ])
    func hybridGroup(system: ATSSystem, isOffered: Bool) {
        let hello = ATSClientHello(.ats, system: system)
        #expect(hello.groups.contains(.x25519MLKEM768) == isOffered)
        #expect(hello.groups.suffix(4) == [.x25519, .secp256r1, .secp384r1, .secp521r1])
    }

    @Test("Requirements make the offer of their release, their list of suites and their package")
    func requirements() throws {
        let configuration = ATSPolicy.Configuration(system: ATSSystem(.iOS, 18), strictness: .documentation)
        let requirements = ATSPolicy(ATSDictionary(), configuration: configuration)
            .requirements(for: ATSDestination(host: "api.example.com"))
        let hello = ATSClientHello(.ats, system: ATSSystem(.iOS, 18), strictness: .documentation)
        #expect(requirements.clientHello == hello)
        #expect(requirements.cipherSuites == hello.cipherSuites)
        var package = requirements
        package.niapPackage = .fcp21
        #expect(package.clientHello == ATSClientHello(.fcp21, system: ATSSystem(.iOS, 18)))
        #expect(ATSRequirements().clientHello == ATSClientHello(.unrestricted))
    }
}
