//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire
import Testing

/// A handshake that is refused although a suite that passes is there, what it asks for, and what its reason says.
private let refused: [(DiagnosisVerdict.Subject, [ServerAdvice.Kind], String, @Sendable () throws -> TestFacts)] = [
    (
        .fcp, [.signatures], "signs over SHA-1 only",
        { try .standard([(.tls12, [0xC02F])]).with { $0.refusedOffers = [.fcp] } }
    ),
    (
        .ats, [.groups], "secp256k1 only",
        {
            try .standard([(.tls12, [0xC02F])]).with {
                $0.refusedOffers = [.atsTLS12, .fcp]
                $0.groups = [GroupFacts(.tls12, [NamedGroup(rawValue: 22)], isComplete: true)]
            }
        }
    ),
    (
        .ats, [.groups], "ffdhe2048 only",
        {
            try .standard([(.tls13, [0x1301])]).with {
                $0.handshake = .failed(.alert(.init(rawValue: 40)))
                $0.groups = [GroupFacts(.tls13, [NamedGroup(rawValue: 256)], isComplete: true)]
            }
        }
    ),
    (
        .ats, [.signatures], "the signatures do not",
        {
            try .standard([(.tls12, [0xC02F])]).with {
                $0.refusedOffers = [.atsTLS12, .fcp]
                $0.groups = [GroupFacts(.tls12, [.x25519, .secp256r1], isComplete: true)]
            }
        }
    ),
    (
        .ats, [.groups, .signatures], "neither the groups nor the signatures",
        {
            try .standard([(.tls12, [0xC02F])]).with {
                $0.refusedOffers = [.atsTLS12, .fcp]
                $0.groups = []
            }
        }
    ),
    (
        .ats, [.keyKind, .signatures], "it can sign no handshake",
        {
            try .standard([]).with {
                $0.versions = [
                    VersionFact(.tls13, .refused(.alert(.handshakeFailure))),
                    VersionFact(.tls12, .refused(.alert(.protocolVersion))),
                ]
                $0.handshake = .failed(.alert(.handshakeFailure))
            }
        }
    ),
    (
        .ats, [.keyKind], "it has no certificate, or none with a key",
        {
            try .standard([]).with {
                $0.versions = [
                    VersionFact(.tls13, .refused(.alert(.protocolVersion))),
                    VersionFact(.tls12, .refused(.alert(.handshakeFailure))),
                    VersionFact(.tls11, .refused(.alert(.protocolVersion))),
                ]
                $0.handshake = .failed(.alert(.handshakeFailure))
            }
        }
    ),
    (
        .ats, [.keyKind, .version], "it has no key that it can use",
        {
            try .standard([]).with {
                $0.versions = [
                    VersionFact(.tls13, .refused(.alert(.protocolVersion))),
                    VersionFact(.tls12, .refused(.alert(.protocolVersion))),
                ]
                $0.handshake = .failed(.alert(.protocolVersion))
            }
        }
    ),
    (
        .ats, [.cipherSuites], "It takes DHE alone",
        { try .standard([(.tls12, [0x009E])]).with { $0.refusedOffers = [.atsTLS12, .fcp] } }
    ),
    (
        .ats, [.cipherSuites], "takes none that App Transport Security allows, which are those with ECDHE.",
        { try .standard([(.tls12, [0x009D])]).with { $0.refusedOffers = [.atsTLS12, .fcp] } }
    ),
    (
        .ats, [.cipherSuites],
        "allows. Those with ECDHE that it takes, such as TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384, are not",
        { try .standard([(.tls12, [0x009D, 0xC028])]).with { $0.refusedOffers = [.atsTLS12, .fcp] } }
    ),
]

/// What a chain's faults ask for.
private let chains: [(TestChains, [ServerAdvice.Kind])] = [
    (.small, [.key]), (.sha1, [.digest]), (.incomplete, [.chain, .authority]), (.untrusted, [.chain, .authority]),
    (.unlogged, [.transparency]), (.otherName, [.name]), (.expired, [.renewal]), (.early, []),
    (.smallIssuer, [.authority]),
    (.sha1Issuer, [.authority]), (.expiredIssuer, [.chain]), (.expiredRoot, [.authority]),
]

@Suite("Why a server is refused, and what that asks for")
struct AdviceCauseTests {
    @Test("A suite that is there is not what is missing", arguments: refused.indices)
    func refusedOffers(index: Int) throws {
        let (subject, kinds, reason, facts) = refused[index]
        let diagnosis = try facts().diagnosis()
        #expect(diagnosis[subject]?.outcome == .failed)
        let advice = diagnosis.advice.filter { $0.subjects.contains(subject) }
        #expect(advice.map(\.kind) == kinds)
        #expect(advice.allSatisfy { $0.reason.contains(reason) }, "\(advice.map(\.reason))")
    }

    @Test(
        "An alert asks for what it is about, and one that may be about anything for nothing",
        arguments: [(70, [.keyKind, .version]), (112, [.site]), (40, []), (80, [])] as [(UInt8, [ServerAdvice.Kind])])
    func alerts(alert: UInt8, kinds: [ServerAdvice.Kind]) throws {
        let diagnosis = try TestFacts.refusing(alert).diagnosis()
        #expect(diagnosis[.ats]?.outcome == .failed)
        #expect(diagnosis.advice.map(\.kind) == kinds)
    }

    @Test("A server that knows no protocol of a load is refused for that, whatever else it takes")
    func protocols() throws {
        let facts = try TestFacts.standard([(.tls13, [0x1301]), (.tls12, [0xC02F])]).with {
            $0.handshake = .failed(.alert(.noApplicationProtocol))
        }
        let diagnosis = try facts.diagnosis()
        #expect(diagnosis.verdicts.allSatisfy { $0.outcome == .failed })
        #expect(diagnosis.advice.map(\.kind) == [.applicationProtocols])
        #expect(diagnosis.reasons.allSatisfy { $0.message.contains("h2 and http/1.1") }, "\(diagnosis.reasons)")
    }

    @Test("An issuer's fault is not mended at the server's own certificate", arguments: chains)
    func issuers(chain: TestChains, kinds: [ServerAdvice.Kind]) throws {
        let diagnosis = try TestFacts.standard([(.tls13, [0x1301])], [chain]).diagnosis()
        #expect(diagnosis[.ats]?.outcome == .failed)
        #expect(diagnosis.advice.map(\.kind) == kinds)
    }

    @Test("Suites and groups that both do not suit are named at once")
    func everyCause() throws {
        let facts = try TestFacts.standard([(.tls12, [0xC061])]).with {
            $0.refusedOffers = [.atsTLS12, .fcp]
            $0.groups = [GroupFacts(.tls12, [NamedGroup(rawValue: 30)], isComplete: true)]
        }
        let advice = try facts.diagnosis().advice.filter { $0.subjects.contains(.ats) }
        #expect(advice.map(\.kind) == [.cipherSuites, .groups])
    }
}
