//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

private let endings: [FakeServer.Reaction] = [.reset, .close, .refusal, .silence]
private let silences: [FakeServer.Reaction] = [.reset, .close]
private let plans = ProbePlan.allCases

@Suite("Silence, and what it means")
struct SilenceTests {
    @Test("Who closes in place of alerts means no, as long as it answers other offers", arguments: silences)
    func silentRefusals(reaction: FakeServer.Reaction) async {
        for base in [FakeServer.modern, .old, FakeServer([.tls12: [0xC02F]])] {
            let (facts, _) = await base.with(.insteadOfAlerts(reaction)).facts(.standard)
            base.expectExactly(facts)
            #expect(facts.anomalies.contains(.refusesSilently) && !facts.effort.isDegraded)
            #expect(facts.support(of: .ssl30) == .refused(.silence))
        }
    }

    @Test("Who drops what it does not speak is never said not to support it")
    func drops() async {
        for base in [FakeServer.modern, .old] {
            let (facts, _) = await base.with(.insteadOfAlerts(.silence)).facts(.standard)
            #expect(Set(facts.supportedVersions) == Set(base.suites.keys))
            for version in facts.versions where version.support != .supported {
                guard case .refused(.otherVersion) = version.support else {
                    #expect(version.support == .unknown(.timedOut(.silent)), "\(version.version)")
                    continue
                }
            }
            #expect(facts.cipherSuites(of: .tls12)?.suites == base.suites[.tls12])
            #expect(facts.cipherSuites.allSatisfy { !$0.isComplete })
            #expect(facts.failure == nil)
        }
    }

    @Test("An alert that may mean anything is a refusal only where another offer is answered")
    func inconclusiveAlert() async {
        let (facts, _) = await FakeServer.modern.with(.insteadOfAlerts(.alert(80))).facts(.standard)
        FakeServer.modern.expectExactly(facts)
        #expect(facts.support(of: .tls11) == .refused(.alert(TLSAlertDescription(rawValue: 80))))
        let (broken, exchange) = await FakeServer.modern.with(.after(0, .alert(80))).facts(.standard)
        #expect(broken.failure == .alert(TLSAlertDescription(rawValue: 80)) && broken.versions.isEmpty)
        #expect(exchange.connections < 15)
    }

    @Test("Whenever a server has had enough of being asked, nothing it said before is made more of", arguments: endings)
    func limits(ending: FakeServer.Reaction) async {
        for base in [FakeServer.modern, .old, FakeServer.modern.with(.insteadOfAlerts(.close))] {
            for plan in plans {
                let whole = await base.facts(plan).exchange.connections
                for count in stride(from: 0, to: whole, by: plan == .deep ? 5 : 1) {
                    let (facts, exchange) = await base.with(.after(count, ending)).facts(plan)
                    base.expectNoMore(facts, "\(plan) after \(count)")
                    #expect(exchange.connections < whole + 40, "\(plan) after \(count)")
                }
            }
        }
    }

    @Test("A limit that is met is reported", arguments: endings)
    func reported(ending: FakeServer.Reaction) async {
        for count in 3..<15 {
            let (facts, exchange) = await FakeServer.modern.with(.after(count, ending)).facts(.standard)
            #expect(facts.effort.isDegraded && facts.anomalies.contains(.limitsConnections), "after \(count)")
            #expect(exchange.connections < 60, "after \(count)")
        }
    }

    @Test("A server that is never there costs a few connections, and says so", arguments: endings)
    func neverThere(ending: FakeServer.Reaction) async {
        for plan in plans {
            let (facts, exchange) = await FakeServer.modern.with(.after(0, ending)).facts(plan)
            #expect(!facts.speaksTLS && facts.failure != nil && !facts.effort.isDegraded)
            #expect(facts.versions.allSatisfy { if case .unknown = $0.support { true } else { false } })
            #expect(exchange.connections <= 14)
        }
    }

    @Test("One connection that is lost is tried again, and changes nothing", arguments: endings)
    func onceLost(ending: FakeServer.Reaction) async {
        for number in 1..<19 {
            let server = FakeServer.modern.with(Quirk { _, hello, count in count == number ? ending : nil })
            let (facts, _) = await server.facts(.standard)
            // The real handshake is not repeated.
            guard facts.handshake == .completed else { continue }
            FakeServer.modern.expectExactly(facts)
            #expect(facts.effort.retries == 1 && !facts.effort.isDegraded, "\(number)")
        }
    }

    @Test("A number of connections is the most that a server may cost")
    func connectionLimit() async {
        var limits = ProbeLimits()
        for count in [1, 5, 10] {
            limits.connections = count
            let (facts, exchange) = await FakeServer.old.facts(.deep, limits: limits)
            #expect(facts.failure == .exhausted && exchange.connections <= count + 1)
            FakeServer.old.expectNoMore(facts, "\(count)")
        }
    }
}

extension FakeServer {
    /// Facts may be fewer than the server has, and never others.
    func expectNoMore(_ facts: ServerFacts, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
        for fact in facts.versions where fact.version > .ssl20 {
            let isSpoken = self.suites.keys.contains(fact.version)
            switch fact.support {
            case .supported: #expect(isSpoken, comment, sourceLocation: sourceLocation)
            case .refused: #expect(!isSpoken, comment, sourceLocation: sourceLocation)
            case .unknown: break
            }
        }
        for found in facts.cipherSuites {
            let own = Set(self.suites[found.version] ?? [])
            #expect(own.isSuperset(of: found.suites), comment, sourceLocation: sourceLocation)
            if found.isComplete { #expect(Set(found.suites) == own, comment, sourceLocation: sourceLocation) }
            #expect(found.order == .server || found.order == .unknown, comment, sourceLocation: sourceLocation)
        }
        for found in facts.groups {
            #expect(Set(self.groups).isSuperset(of: found.groups), comment, sourceLocation: sourceLocation)
            if found.isComplete {
                #expect(Set(found.groups) == Set(self.groups), comment, sourceLocation: sourceLocation)
            }
        }
    }
}
