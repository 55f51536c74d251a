//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

private let names = [
    "example.com", "www.example.com", "a.www.example.com", "localhost", "printer.local", "apple.com", "sub.apple.com",
    "ls.apple.com", "192.0.2.1", "127.0.0.1",
]

/// Dictionaries of a few entries that get in each other's way.
private struct RandomDictionary {
    var random: SplitMix

    mutating func next() -> ATSDictionary {
        var dictionary = ATSDictionary()
        dictionary.allowsArbitraryLoads = self.flag()
        dictionary.allowsLocalNetworking = self.flag()
        dictionary.allowsArbitraryLoadsForMedia = self.flag()
        dictionary.allowsArbitraryLoadsInWebContent = self.flag()
        if self.random.below(4) == 0 { dictionary.requiresNIAPTLSPackageVersion = "FCP_v2.1" }
        for name in names where self.random.below(3) == 0 {
            var domain = ATSExceptionDomain(name)
            domain.includesSubdomains = self.flag()
            domain.allowsInsecureHTTPLoads = self.flag()
            domain.requiresForwardSecrecy = self.flag()
            if self.random.below(4) == 0 { domain.minimumTLSVersion = self.random.flip() ? "TLSv1.0" : "TLSv1.2" }
            if self.random.below(8) == 0 { domain.requiresNIAPTLSPackageVersion = "none" }
            dictionary.exceptionDomains.append(domain)
        }
        return dictionary
    }

    private mutating func flag() -> ATSEntry<ATSFlag>? {
        self.random.below(3) == 0 ? ATSEntry(.boolean(self.random.flip())) : nil
    }
}

@Suite("Exceptions without effect")
struct ExceptionEffectTests {
    /// What is asked of every host nearby, for every part of the app.
    private func requirements(_ dictionary: ATSDictionary, _ linter: ATSLinter) -> [ATSRequirements] {
        let policy = ATSPolicy(
            dictionary, configuration: .init(system: linter.system, strictness: linter.strictness))
        return names.flatMap { name in
            [name, "x." + name, "y.x." + name].flatMap { host in
                [ATSClient.app, .webContent, .media].map { client in
                    var requirements = policy.requirements(for: ATSDestination(host: host), client: client)
                    requirements.exception = nil
                    return requirements
                }
            }
        }
    }

    @Test(
        "An entry is said to change nothing when, and only when, the policy is the same without it",
        arguments: ATSStrictness.allCases, ["ios9", "ios16", "ios18", "ios27"]
    )
    func effects(strictness: ATSStrictness, system: String) throws {
        let linter = ATSLinter(system: try #require(ATSSystem(system)), strictness: strictness)
        var dictionaries = RandomDictionary(random: SplitMix(state: 7))
        var (idle, busy) = (0, 0)
        for _ in 0..<60 {
            let dictionary = dictionaries.next()
            let whole = self.requirements(dictionary, linter)
            let findings = linter.findings(in: dictionary)
            for (index, domain) in dictionary.exceptionDomains.enumerated() {
                let isAddress = ATSDestination(host: domain.name).address != nil
                guard !isAddress || linter.system.readsAddressExceptions else { continue }
                var without = dictionary
                without.exceptionDomains.remove(at: index)
                let isIdle = self.requirements(without, linter) == whole
                let isSaidSo = findings.contains {
                    $0.rule == .exceptionWithoutEffect && $0.path.last == domain.name
                }
                #expect(isIdle == isSaidSo, "\(domain.name) in \(dictionary)")
                (idle, busy) = (idle + (isIdle ? 1 : 0), busy + (isIdle ? 0 : 1))
            }
        }
        #expect(idle > 10 && busy > 10, "\(idle) \(busy)")
    }
}
