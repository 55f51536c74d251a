//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite struct PinSetTests {
    static let server = PinnedServer.all[0]
    static let leaf = Pin(keyOf: server.sent[0])
    static let stranger = Pin(keyOf: TestCertificates.other)

    static func decide(
        _ pins: PinSet, _ server: PinnedServer = server, host: String = "www.example.com",
        _ change: (inout Trust) -> Void = { _ in }
    ) throws -> ServerTrustDecision {
        var trust = try server.trust
        change(&trust)
        return PinsTrustEvaluator(pins).evaluate(trust, forHost: host)
    }

    @Test func `Sets without pins, and single pins where a second is required, cannot be made`() throws {
        #expect(throws: PinError(.noPins, text: "")) { try PinSet([Pin]()) }
        #expect(throws: PinError(.noPins, text: "")) { try PinSet([PinSet.Requirement]()) }
        #expect(throws: PinError(.noPins, text: "")) { try PinSet([PinSet.Requirement([Self.leaf]), .init([])]) }
        #expect(throws: PinError(.noBackup, text: "")) { try PinSet([Self.leaf], backup: .require) }
        let placeholder = try Pin(digest: Array(repeating: 0, count: 32))
        #expect(throws: PinError(.noBackup, text: "")) { try PinSet([Self.leaf, placeholder], backup: .require) }
        #expect(try PinSet([Self.leaf]).lacksBackup)
        #expect(try !PinSet([Self.leaf, Self.stranger], backup: .require).lacksBackup)
        #expect(try !Self.decide(.refusingEverything).isTrusted)
    }

    @Test func `A path without a pin is refused, with both sides of the comparison to copy from`() throws {
        let decision = try Self.decide(try PinSet([Self.stranger]))
        guard case .notPinned(let mismatch)? = decision.failure?.reason else { throw CancellationError() }
        #expect(mismatch.pathPins == Self.server.sent.map(Pin.init(keyOf:)) + [Pin(keyOf: Self.server.roots[0])])
        let text = "\(mismatch)"
        for certificate in Self.server.sent + Self.server.roots {
            #expect(text.contains("    \(Pin(keyOf: certificate)): \(certificate.subject)"))
        }
        #expect(text.hasPrefix("Certificate pinning failure!\n  Peer certificate chain:\n    sha256/"))
        #expect(text.contains("\n  Pinned certificates for www.example.com:\n    \(Self.stranger)"))
        #expect(decision.failure?.code == "path-not-pinned" && "\(decision.failure!)".contains(text))
        #expect(throws: ServerTrustFailure.self) { try decision.get() }
    }

    @Test func `Pins lift nothing: an expired path and a wrong name are refused with the right pin`() throws {
        let pins = try PinSet([Self.leaf])
        #expect(try Self.decide(pins, host: "other.example").failure?.message.contains("pinned") == false)
        let late = try Self.decide(pins) { $0.verifyDate = Date(Timestamp(secondsSinceEpoch: 1_800_000_000)) }
        #expect(late.failure?.code == "expired")
        guard case .notCompared? = late.pinning else { throw CancellationError() }
        #expect(try Self.decide(pins) { $0.anchors = .none }.isTrusted == false)
    }

    @Test func `Pins that ended refuse, are ignored, or only report, as was chosen`() throws {
        let end = Date(testTime)
        for (consequence, isTrusted) in [
            (PinExpiration.Consequence.refuse, false), (.ignorePins, true), (.report, true),
        ] {
            var pins = try PinSet([Self.stranger])
            pins.expiration = PinExpiration(end, then: consequence)
            let decision = try Self.decide(pins)
            #expect(decision.isTrusted == isTrusted)
            #expect(try Self.decide(pins) { $0.anchors = .none }.isTrusted == false)
            // A second earlier they hold.
            #expect(try Self.decide(pins) { $0.verifyDate = end - 1 }.failure?.code == "path-not-pinned")
            switch (consequence, decision.pinning) {
            case (.report, .mismatched?), (.refuse, .expired?), (.ignorePins, .expired?): break
            default: Issue.record("\(consequence): \(String(describing: decision.pinning))")
            }
        }
        var right = try PinSet([Self.leaf])
        right.expiration = PinExpiration(end, then: .refuse)
        #expect(try Self.decide(right).failure?.code == "pins-expired")
    }

    @Test(arguments: [
        "", "2027", "2027-1-1", "2027-13-01", "2027-02-30", "01.02.2027", "2027/01/01", "2027-01-01T00:00:00",
        "2027-01-01 00:00:00Z", "2027-01-01T00:00:00+01:00", "令和9-01-01", "2027-01-01T24:00:00Z", "never",
    ])
    func `Dates are ISO 8601 in UTC or an error, never for ever`(text: String) {
        #expect(throws: PinError.self) { try PinExpiration(text, then: .ignorePins) }
    }

    @Test func `A date is its first second`() throws {
        #expect(try PinExpiration("2027-01-31", then: .refuse).date.timeIntervalSince1970 == 1_801_353_600)
        #expect(try PinExpiration("2027-01-31T12:00:00Z", then: .refuse).date.timeIntervalSince1970 == 1_801_396_800)
    }

    @Test func `Report-only lets a good path through that has no pin, tells of it, and lets nothing else through`()
        throws
    {
        var pins = try PinSet([Self.stranger])
        pins.isReportOnly = true
        let decision = try Self.decide(pins)
        #expect(decision.isTrusted)
        guard case .mismatched(let mismatch)? = decision.pinning else { throw CancellationError() }
        #expect(mismatch.path.count == 4)
        #expect(try Self.decide(pins, host: "other.example").failure?.code == "name-mismatch")
        for server in PinnedServer.all where !server.isValid {
            #expect(try !Self.decide(pins, server).isTrusted, "\(server)")
        }
    }

    @Test func `Report-only is not stricter than no pins: a pinned path that breaks a rule does not hide a good one`()
        throws
    {
        let chain = try TestChain()
        // The pinned cross-certificate may not issue for the name; the other path is in order.
        let cross = try PinnedServer.other.authority(TestChain.first) {
            $0.set(.nameConstraints(permitted: [.dns("elsewhere.example")]))
        }
        let other = try PinnedServer.other.authority()
        var trust = try Trust(
            certificates: [chain.leaf, chain.second, cross, chain.first].map(Certificate.init), policies: [],
            configuration: .only([chain.root, other].map(Certificate.init)))
        trust.verifyDate = Date(testTime)
        var pins = try PinSet([Pin(keyOf: Certificate(other))])
        #expect(!PinsTrustEvaluator(pins).evaluate(trust, forHost: "www.example.com").isTrusted)
        pins.isReportOnly = true
        let decision = PinsTrustEvaluator(pins).evaluate(trust, forHost: "www.example.com")
        #expect(decision.isTrusted)
        guard case .mismatched? = decision.pinning else { throw CancellationError() }
    }

    @Test func `Exceptions that were recorded lift no pins`() throws {
        let pins = try PinSet([Self.stranger])
        var recording = try Self.server.trust
        recording.policies = [.tlsServer(hostname: "www.example.com")]
        recording.policies[0].requirement.pins = pins.pathRequirements
        let exceptions = recording.currentExceptions()
        #expect(recording.setExceptions(exceptions) && recording.evaluate().isTrusted, "what Apple's exceptions do")
        #expect(
            PinsTrustEvaluator(pins).evaluate(recording, forHost: "www.example.com").failure?.code == "path-not-pinned")
        var untrusted = try Trust(
            certificates: Self.server.sent, policy: .tlsServer(hostname: "www.example.com"), configuration: .only([]))
        untrusted.verifyDate = recording.verifyDate
        let lifting = untrusted.currentExceptions()
        #expect(untrusted.setExceptions(lifting) && untrusted.evaluate().isTrusted, "what Apple's exceptions do")
        let policies = try [SecurityPolicy.PinningMode.publicKey, .certificate].map { mode in
            try SecurityPolicy(
                pinningMode: mode, pinnedCertificates: [TestCertificates.other], allowInvalidCertificates: true)
        }
        for policy in policies {
            #expect(policy.evaluate(untrusted, forDomain: "www.example.com").failure?.code == "path-not-pinned")
        }
        var reported = pins
        reported.isReportOnly = true
        let decision = PinsTrustEvaluator(reported).evaluate(recording, forHost: "www.example.com")
        guard decision.isTrusted, case .mismatched? = decision.pinning else { throw CancellationError() }
    }

    @Test(arguments: AnchorClass.allCases)
    func `Paths to exempt anchors need no pin, and no others are exempt`(anchorClass: AnchorClass) throws {
        var pins = try PinSet([Self.stranger])
        func decide() throws -> ServerTrustDecision {
            try Self.decide(pins) { trust in
                trust.anchors = .none
                trust.anchors.add(Self.server.roots[0], as: anchorClass)
                // What Apple demands below system anchors only.
                trust.profile.serverLifetimeLimits = []
            }
        }
        #expect(try !decide().isTrusted)
        pins.exemptAnchors = [.user]
        #expect(try decide().isTrusted == (anchorClass == .user))
        guard anchorClass == .user else { return }
        guard case .exempt(.user)? = try decide().pinning else { throw CancellationError() }
    }

    @Test func `A scope is a demand on the place of the pin, and two are two demands`() throws {
        let root = Pin(keyOf: Self.server.roots[0])
        #expect(try Self.decide(PinSet([root], scope: .anchor)).isTrusted)
        #expect(try !Self.decide(PinSet([root], scope: .leaf)).isTrusted)
        #expect(try !Self.decide(PinSet([Self.leaf], scope: .authorities)).isTrusted)
        let both = [PinSet.Requirement([Self.leaf], scope: .leaf), .init([root], scope: .authorities)]
        #expect(try Self.decide(PinSet(both)).isTrusted)
        let half = [PinSet.Requirement([Self.leaf], scope: .leaf), .init([Self.stranger], scope: .authorities)]
        let decision = try Self.decide(PinSet(half))
        #expect(!decision.isTrusted)
        #expect("\(decision.failure!)".contains("Pinned authorities for"))
    }

    @Test(arguments: PinnedServer.all)
    func `Only what is on a trusted path matches a pin`(server: PinnedServer) throws {
        guard !server.pinned.isEmpty else { return }
        let decision = try Self.decide(PinSet(server.pinned.map(Pin.init(keyOf:))), server)
        #expect(decision.isTrusted == (server.isValid && server.nameMatches && server.keyIsOnPath))
    }
}
