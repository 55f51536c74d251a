//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting
import TLSWire
import Testing

@Suite("The smallest exception")
struct SuggestionTests {
    private func outcome(
        _ handshakes: [(TLSProtocolVersion, UInt16)], _ scheme: ATSDestination.Scheme = .https, host: String = "a.test",
        on system: ATSSystem = ATSSystem(.iOS, 18), chain: TestChain? = .good
    ) throws -> ATSSuggestion.Outcome {
        let trust = try #require(chain).trust(ATSRequirements(), host: host)
        let facts = ATSServerFacts(
            handshakes: handshakes.map { ATSServerFacts.Handshake($0.0, CipherSuite(rawValue: $0.1), trust: trust) })
        return ATSSuggestion(
            for: ATSDestination(host: host, scheme: scheme), facts: facts, configuration: .init(system: system)
        ).outcome
    }

    @Test("Gives up as little as the server needs")
    func least() throws {
        for (handshakes, expected) in [
            ([(.tls12, 0x009D)], [.forwardSecrecy]), ([(.tls11, 0xC013)], [.tls11]),
            ([(.tls11, 0x002F)], [.tls11, .forwardSecrecy]), ([(.tls10, 0x002F)], [.tls10, .forwardSecrecy]),
        ] as [([(TLSProtocolVersion, UInt16)], [ATSSuggestion.Risk])] {
            guard case .exception(_, let risks) = try self.outcome(handshakes) else {
                Issue.record("\(try self.outcome(handshakes))")
                continue
            }
            #expect(risks == expected)
        }
        guard case .nothing = try self.outcome([(.tls13, 0x1301)]) else {
            Issue.record("nothing is needed")
            return
        }
    }

    @Test("A load that the app's own exception allows is told from one that needs none")
    func ownException() throws {
        var domain = ATSExceptionDomain("a.test")
        domain.requiresForwardSecrecy = false
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [domain]
        let trust = try #require(TestChain.good).trust(ATSRequirements())
        for (suite, isNeeded) in [(0x009D, true), (0xC02F, false)] as [(UInt16, Bool)] {
            let handshake = ATSServerFacts.Handshake(.tls12, CipherSuite(rawValue: suite), trust: trust)
            let suggestion = ATSSuggestion(
                for: ATSDestination(host: "a.test"), facts: ATSServerFacts(handshakes: [handshake]),
                dictionary: dictionary)
            #expect(suggestion.verdict.isAllowed && suggestion.needsDictionary == isNeeded)
        }
    }

    @Test("Plain HTTP is given its own exception")
    func plain() throws {
        guard case .exception(let domain, [.insecureHTTP]) = try self.outcome([], .http) else {
            Issue.record("\(try self.outcome([], .http))")
            return
        }
        #expect(domain.name == "a.test" && domain.allowsInsecureHTTPLoads?.value.isOn == true)
    }

    @Test("What the system does not speak no exception brings back, and what is not trusted only the app's delegate")
    func impossible() throws {
        guard case .impossible = try self.outcome([(.tls11, 0xC013)], on: ATSSystem(.iOS, 26)) else {
            Issue.record("iOS 26 speaks no TLS 1.1")
            return
        }
        guard case .exceptionAndDelegate(_, [.insecureHTTP]) = try self.outcome([(.tls13, 0x1301)], host: "b.test")
        else {
            Issue.record("\(try self.outcome([(.tls13, 0x1301)], host: "b.test"))")
            return
        }
        for sacrifice in ATSSuggestion.Risk.allCases { #expect(sacrifice.warning.hasSuffix(".")) }
    }

    @Test(
        "No delegate is given a decision that no app can take: on a digest that is forged, on a key that is too small")
    func undecidable() throws {
        for chain in [try TestChain(.rsa2048, hash: .sha1), try TestChain(issuerHash: .sha1), try TestChain(.rsa1024)] {
            for host in ["a.test", "b.test"] {
                let outcome = try self.outcome([(.tls13, 0x1301)], host: host, chain: chain)
                guard case .impossible = outcome else {
                    Issue.record("\(host): \(outcome)")
                    continue
                }
            }
        }
    }

    @Test("What is suggested is written as XML that reads back the same")
    func propertyList() throws {
        guard case .exception(let domain, _) = try self.outcome([(.tls10, 0x002F)]) else { return }
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [domain]
        let read = try InfoPropertyList(Array(dictionary.propertyList.utf8)).transportSecurity
        #expect(read?.propertyList == dictionary.propertyList && read?.issues.isEmpty == true)
        #expect(read?.exceptionDomains.first?.minimumTLSVersion?.value == "TLSv1.0")
        #expect(dictionary.propertyListFragment.hasPrefix("<key>NSAppTransportSecurity</key>\n<dict>\n"))
    }

    private func outcome(
        _ dictionary: ATSDictionary, _ handshakes: [(TLSProtocolVersion, UInt16)], redirects: [ATSDestination] = [],
        on system: ATSSystem = .newest
    ) throws -> ATSSuggestion.Outcome {
        let trust = try #require(TestChain.good).trust(ATSRequirements())
        var facts = ATSServerFacts(
            handshakes: handshakes.map {
                ATSServerFacts.Handshake(
                    $0.0, CipherSuite(rawValue: $0.1), usesExtendedMasterSecret: true, trust: trust)
            })
        facts.redirects = redirects
        return ATSSuggestion(
            for: ATSDestination(host: "a.test"), facts: facts, dictionary: dictionary,
            configuration: .init(system: system)
        ).outcome
    }

    @Test("A package never allows a suite that is refused without it", arguments: ATSStrictness.allCases)
    func packageIsStricter(strictness: ATSStrictness) {
        for suite in ATSCipherSuiteGroup.fcp21.suites(strictness) {
            var requirements = ATSRequirements()
            requirements.strictness = strictness
            let facts = ATSConnection(
                version: suite.isTLS13 ? .tls13 : .tls12, cipherSuite: suite, usesExtendedMasterSecret: true, trust: nil
            )
            let isAllowed = requirements.violations(ofTransport: facts).isEmpty
            requirements.niapPackage = .fcp21
            #expect(isAllowed || !requirements.violations(ofTransport: facts).isEmpty, "\(suite)")
        }
    }

    @Test("FCP_v2.1 that the app itself demands is given up last, and only with a word about it")
    func package() throws {
        var everywhere = ATSDictionary()
        everywhere.requiresNIAPTLSPackageVersion = "FCP_v2.1"
        var here = ATSDictionary()
        here.exceptionDomains = [ATSExceptionDomain("a.test")]
        here.exceptionDomains[0].requiresNIAPTLSPackageVersion = "recommended"
        var above = ATSDictionary()
        above.exceptionDomains = [ATSExceptionDomain("test")]
        above.exceptionDomains[0].requiresNIAPTLSPackageVersion = "FCP_v2.1"
        above.exceptionDomains[0].includesSubdomains = true
        var nowhereElse = here
        nowhereElse.requiresNIAPTLSPackageVersion = "none"
        // Without a package for all hosts, an entry without the key demands none.
        let rows: [(ATSDictionary, demanded: String?)] = [
            (everywhere, "none"), (here, nil), (above, nil), (nowhereElse, nil),
        ]
        for (dictionary, demanded) in rows {
            for (suite, rest) in [(0xC013, []), (0x002F, [.forwardSecrecy])] as [(UInt16, [ATSSuggestion.Risk])] {
                let outcome = try self.outcome(dictionary, [(.tls12, suite)])
                guard case .exception(let domain, let risks) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(risks == [.niapPackage] + rest)
                #expect(domain.name == "a.test" && domain.requiresNIAPTLSPackageVersion?.value == demanded)
            }
            guard case .nothing = try self.outcome(dictionary, [(.tls12, 0xC02B)]) else {
                Issue.record("the server meets FCP_v2.1")
                continue
            }
        }
        let old = try self.outcome(everywhere, [(.tls12, 0x002F)], on: ATSSystem(.iOS, 18))
        guard case .exception(_, [.forwardSecrecy]) = old else {
            Issue.record("iOS 18 does not read the key: \(old)")
            return
        }
    }

    @Test("A version that the app demands beyond the default is named where it goes, and the rest of its demands stays")
    func ownDemands() throws {
        var dictionary = ATSDictionary()
        dictionary.requiresNIAPTLSPackageVersion = "FCP_v2.1"
        dictionary.exceptionDomains = [ATSExceptionDomain("a.test")]
        dictionary.exceptionDomains[0].minimumTLSVersion = "TLSv1.3"
        dictionary.exceptionDomains[0].includesSubdomains = true
        dictionary.exceptionDomains[0].requiresNIAPTLSPackageVersion = "none"
        let outcome = try self.outcome(dictionary, [(.tls12, 0xC013)])
        guard case .exception(let domain, [.tls12]) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(domain.minimumTLSVersion == nil && domain.includesSubdomains?.value.isOn == true)
        #expect(domain.requiresNIAPTLSPackageVersion?.value == "none")
    }

    /// What is suggested for `www.a.test`, below an entry.
    private func outcome(
        _ entry: ATSExceptionDomain, _ scheme: ATSDestination.Scheme, _ handshakes: [(TLSProtocolVersion, UInt16)] = []
    ) throws -> ATSSuggestion.Outcome {
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [entry]
        let trust = try #require(TestChain.good).trust(ATSRequirements())
        let facts = ATSServerFacts(
            handshakes: handshakes.map { ATSServerFacts.Handshake($0.0, CipherSuite(rawValue: $0.1), trust: trust) })
        return ATSSuggestion(
            for: ATSDestination(host: "www.a.test", scheme: scheme), facts: facts, dictionary: dictionary,
            configuration: .init(system: ATSSystem(.iOS, 18))
        ).outcome
    }

    @Test("What an entry demands stays where it stands in no one's way", arguments: ["www.a.test", "a.test"])
    func kept(name: String) throws {
        var entry = ATSExceptionDomain(name)
        entry.includesSubdomains = true
        entry.minimumTLSVersion = "TLSv1.3"
        guard case .exception(let domain, [.insecureHTTP]) = try self.outcome(entry, .http) else {
            Issue.record("\(try self.outcome(entry, .http))")
            return
        }
        #expect(domain.name == "www.a.test" && domain.minimumTLSVersion?.value == "TLSv1.3")
        #expect(domain.allowsInsecureHTTPLoads?.value.isOn == true)
        #expect((domain.includesSubdomains != nil) == (name == "www.a.test"), "names below have their parent's entry")
        guard
            case .exception(let older, [.tls12, .forwardSecrecy]) = try self.outcome(entry, .https, [(.tls12, 0x009D)])
        else {
            Issue.record("\(try self.outcome(entry, .https, [(.tls12, 0x009D)]))")
            return
        }
        #expect(older.minimumTLSVersion == nil && older.requiresForwardSecrecy?.value.isOn == false)
    }

    @Test("What an entry allows stays, and is named with the risks", arguments: ["www.a.test", "a.test"])
    func allowed(name: String) throws {
        var entry = ATSExceptionDomain(name)
        entry.includesSubdomains = true
        entry.allowsInsecureHTTPLoads = true
        let outcome = try self.outcome(entry, .https, [(.tls11, 0xC013)])
        guard case .exception(let domain, [.insecureHTTP, .tls11]) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(domain.allowsInsecureHTTPLoads?.value.isOn == true && domain.minimumTLSVersion?.value == "TLSv1.1")
    }

    @Test("Plain HTTP at the end of a redirect is excepted for the host that it leads to")
    func redirects() throws {
        for host in ["a.test", "b.test"] {
            let outcome = try self.outcome(
                ATSDictionary(), [(.tls13, 0x1301)],
                redirects: [ATSDestination(host: "a.test"), ATSDestination(host: host, scheme: .http)])
            guard case .exception(let domain, [.insecureHTTP]) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(domain.name == host)
        }
        let both = try self.outcome(
            ATSDictionary(), [(.tls12, 0x002F)], redirects: [ATSDestination(host: "b.test", scheme: .http)])
        guard case .impossible = both else {
            Issue.record("one exception is not enough: \(both)")
            return
        }
    }
}
