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

private let failures: [ConnectionFailure] = [
    .hostNotFound, .connectionRefused, .unreachable("no route"), .timedOut(.resolving), .timedOut(.underWay), .closed,
    .reset, .alert(.internalError), .handshake("why"), .notTLS(beginning: "HTTP/1.1"), .malformed(.emptyRecord),
    .malformed(.tooManyCertificates), .violation(.badSignature), .preamble("SMTP: no STARTTLS"),
    .startTLS(StartTLSRefusal(.smtp, .notOffered)), .exhausted, .cancelled,
]

@Suite("Facts, read as handshakes")
struct HandshakeReadingTests {
    private func known(_ facts: TestFacts) throws -> ATSServerFacts {
        ATSServerFacts(facts.facts, trust: try facts.chains.map { try $0.chain().trust })
    }

    @Test("Failures are those of a load", arguments: failures)
    private func failure(failure: ConnectionFailure) throws {
        #expect(try self.known(.nothing(failure)).failure == failure)
    }

    @Test("Nothing is made up for versions that gave no answer, unless an older one was chosen over them")
    func unknownVersions() throws {
        let silent = try TestFacts.standard([(.tls12, [0xC02F])]).unknown(.tls13).unknown(.tls11)
        #expect(try self.known(silent).unknownVersions == [.tls13, .tls11])
        var passedOver = try TestFacts.ats([(.ats, .tls12, 0xC02F)]).unknown(.tls13)
        #expect(try self.known(passedOver).unknownVersions == [.tls11, .tls10])
        passedOver.facts.selections = []
        passedOver.facts.versions = []
        #expect(try self.known(passedOver).unknownVersions == [.tls13, .tls12, .tls11, .tls10])
    }

    @Test("The newest version comes first, in it what the server prefers")
    func order() throws {
        let facts = try TestFacts.standard([(.tls12, [0x009D, 0xC02F]), (.tls13, [0x1303])])
        #expect(try self.known(facts).handshakes.map(\.cipherSuite.rawValue) == [0x1303, 0x009D, 0xC02F])
    }

    @Test("Where the client decides, its order does")
    func clientsOrder() throws {
        var facts = try TestFacts.standard([(.tls12, [0x009D, 0xC014, 0x000A, 0xC02F])])
        facts.facts.cipherSuites[0].order = .client
        #expect(try self.known(facts).handshakes.map(\.cipherSuite.rawValue) == [0xC02F, 0xC014, 0x009D, 0x000A])
    }

    @Test("Each suite goes with the chain of its kind of key")
    func chains() throws {
        let facts = try TestFacts.standard([(.tls12, [0xC02B, 0xC02F, 0xC030])], [.rsa, .curve])
        let keys = try self.known(facts).handshakes.map { $0.trust?.path.first?.publicKey.kind }
        #expect(keys == [.p256, .rsa, .rsa])
    }

    @Test("A chain of another kind of key, or another version, does not count")
    func otherChains() throws {
        var facts = try TestFacts.standard([(.tls13, [0x1301]), (.tls12, [0xC02B])], [.rsa])
        facts.facts.chains[0].versions = [.tls12]
        #expect(try self.known(facts).handshakes.map { $0.trust == nil } == [true, true])
    }

    @Test("What was seen in a handshake counts more than what is known in general")
    func extendedMasterSecret() throws {
        var facts = try TestFacts.standard([(.tls13, [0x1301]), (.tls12, [0xC02F, 0xC030])])
        var selection = ServerSelection(.atsTLS12, .tls12, cipherSuite: CipherSuite(rawValue: 0xC030))
        selection.usesExtendedMasterSecret = false
        facts.facts.selections = [selection]
        #expect(try self.known(facts).handshakes.map(\.usesExtendedMasterSecret) == [nil, false, false])
    }

    @Test(
        "A chain is worth nothing before the server has proven to hold its key, whatever else it has proven",
        arguments: [HandshakeFact.completed, .unproven(.alert(.init(rawValue: 116))), .failed(.reset), nil])
    func chainsAreProven(handshake: HandshakeFact?) throws {
        var server = try TestFacts.standard([(.tls12, [0xC02F])])
        server.facts.handshake = handshake
        #expect(try server.diagnosis()[.ats]?.outcome == .passed)
        server.facts.chains[0].isProven = false
        // Anyone can ask for a client certificate, and anyone can prove to hold a key of his own.
        server.facts.features.clientCertificate = ClientCertificateRequest()
        var other = ChainFact([[0x30, 0]])
        other.isProven = true
        server.facts.chains.append(other)
        #expect(try server.diagnosis()[.ats]?.outcome == .unknown)
        #expect(try server.diagnosis()[.trust]?.outcome == .unknown)
        server.facts.chains[1].isProven = false
        #expect(try server.diagnosis().doubts == [.keyProof])
        server.facts.chains[1].isProven = true
        // With other authorities the certificate is the same.
        server.facts.chains[1].certificates = Array(server.facts.chains[0].certificates.prefix(1))
        #expect(try server.diagnosis()[.ats]?.outcome == .passed)
    }

    @Test("Of what goes with a suite, a whole handshake counts before an answer to a hello")
    func wholeHandshakes() throws {
        var server = try TestFacts.standard([(.tls12, [0xC02F])], [.rsa, .untrusted])
        for (chain, isComplete) in [(0, false), (1, true)] {
            var selection = ServerSelection(.everything, .tls12, cipherSuite: CipherSuite(rawValue: 0xC02F))
            (selection.chain, selection.isComplete) = (chain, isComplete)
            server.facts.selections.append(selection)
        }
        #expect(try server.diagnosis()[.ats]?.outcome == .failed)
    }

    @Test("A real handshake that breaks the rules of TLS fails, unless a key was proven in another")
    func brokenHandshake() throws {
        let broken = ConnectionFailure.malformed(.unexpected("a flight without a ServerKeyExchange"))
        for handshake in [HandshakeFact.unproven(broken), .failed(broken)] {
            var server = try TestFacts.standard([(.tls12, [0xC02F])])
            server.facts.handshake = handshake
            #expect(try server.diagnosis()[.ats]?.outcome == .passed)
            server.facts.chains[0].isProven = false
            #expect(try server.diagnosis()[.ats]?.outcome == .failed)
            #expect(try server.diagnosis().advice.map(\.kind) == [])
        }
    }

    @Test("What a server refuses when it is offered as Apple's systems offer it fails, whatever it agrees on otherwise")
    func refusedOffers() throws {
        var server = try TestFacts.standard([(.tls12, [0xC02F, 0x009C])])
        server.facts.refusedOffers = [.fcp]
        #expect(try server.diagnosis()[.ats]?.outcome == .passed)
        #expect(try server.diagnosis()[.fcp]?.outcome == .failed)
        server.facts.refusedOffers = [.atsTLS12, .fcp]
        #expect(try server.diagnosis()[.ats]?.outcome == .failed)
        #expect(try server.diagnosis().row(7)?.outcome == .passed)
        server.facts.handshake = .failed(.alert(.init(rawValue: 40)))
        #expect(try server.diagnosis().rows.allSatisfy { $0.outcome == .failed })
    }

    @Test("What gave no clear answer when it was offered as Apple's systems offer it is not known")
    func unclearOffers() throws {
        var server = try TestFacts.standard([(.tls12, [0xC02F, 0x009C])])
        server.facts.unclearOffers = [.fcp]
        var diagnosis = try server.diagnosis()
        #expect(diagnosis[.ats]?.outcome == .passed && diagnosis[.fcp]?.outcome == .unknown)
        #expect(diagnosis.doubts == [.fcp])
        server.facts.unclearOffers = [.atsTLS12]
        diagnosis = try server.diagnosis()
        #expect(diagnosis[.ats]?.outcome == .unknown && diagnosis[.fcp]?.outcome == .unknown)
        // Which chain would come with what exceptions add is not known either.
        #expect(diagnosis.row(7)?.outcome == .unknown && !diagnosis.doubts.isEmpty)
        var short = try TestFacts.ats([(.everything, .tls12, 0xC02F)], refused: [.tls11, .tls10])
        short.facts.unclearOffers = [.fcp]
        #expect(try short.diagnosis()[.fcp]?.outcome == .unknown)
        // In TLS 1.3 it does not matter.
        server = try TestFacts.standard([(.tls13, [0x1301]), (.tls12, [0xC02F])])
        server.facts.unclearOffers = [.atsTLS12, .fcp]
        #expect(try server.diagnosis().verdicts.allSatisfy { $0.outcome == .passed })
    }

    @Test("Ephemeral keys of old versions are on a curve that Apple's systems have, or come to nothing")
    func curvesOfOldVersions() throws {
        var server = try TestFacts.standard([(.tls10, [0xC014, 0x002F])])
        let (forwardSecrecy, without) = (6, 12)
        for (curves, isComplete, expected) in [
            ([NamedGroup.secp256r1], true, [ATSOutcome.passed, .passed]), ([.secp256r1], false, [.passed, .passed]),
            ([NamedGroup(rawValue: 22)], true, [.failed, .passed]),
            ([NamedGroup(rawValue: 22)], false, [.unknown, .passed]),
        ] {
            server.facts.groups = [GroupFacts(.tls12, curves, isComplete: isComplete)]
            let diagnosis = try server.diagnosis(on: 18)
            #expect([forwardSecrecy, without].map { diagnosis.row($0)?.outcome } == expected, "\(curves)")
        }
    }

    @Test(
        "A server that refuses the hello of Apple's systems refuses everything, also where it takes the hybrid group of another",
        arguments: [40, 120] as [UInt8], [NamedGroup.x25519, .x25519MLKEM768])
    func refusedHello(alert: UInt8, group: NamedGroup) throws {
        var server = try TestFacts.standard([(.tls13, [0x1301])])
        server.facts.handshake = .failed(.alert(.init(rawValue: alert)))
        server.facts.chains = []
        server.facts.groups = [GroupFacts(.tls13, [group], isComplete: true)]
        #expect(try server.diagnosis()[.ats]?.outcome == .failed)
    }

    @Test("A redirect that comes to nothing leaves what would pass unknown")
    func brokenRedirect() throws {
        let server = try TestFacts.standard([(.tls13, [0x1301])])
        let trust = try server.chains.map { try $0.chain().trust }
        let there = ATSDestination(host: "a.test", port: 8443)
        let diagnosis = ServerDiagnosis(
            host: "a.test", facts: server.facts, trust: trust, redirects: [there], redirectFailure: "expired")
        #expect(diagnosis[.ats]?.outcome == .unknown && diagnosis.doubts == [.redirect("expired")])
        #expect(diagnosis[.trust]?.outcome == .passed)
    }

    @Test("Trust that was not given is not known")
    func missingTrust() throws {
        let facts = try TestFacts.standard([(.tls13, [0x1301])])
        let diagnosis = ServerDiagnosis(host: "a.test", facts: facts.facts, trust: [])
        #expect(diagnosis.verdicts.allSatisfy { $0.outcome == .unknown })
    }
}
