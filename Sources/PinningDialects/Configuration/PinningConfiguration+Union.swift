//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

extension PinningConfiguration {
    /// Every pattern with what speaks for the hosts it is the most specific of.
    func effectiveDomains() throws(HostPatternError) -> [(HostPattern, PinnedDomain)] {
        var domains: [(HostPattern, PinnedDomain)] = []
        for domain in self.domains {
            for pattern in try domain.patterns() { domains.append((pattern, domain)) }
        }
        return self.combination == .union ? try Self.united(domains) : domains
    }

    /// What counts for the hosts of each domain, in the order of the domains: for each of a domain's patterns its own pins, with
    /// those of the others that fit where all of them count together.
    ///
    /// Of each requirement of several domains it has two real pins at most: a name in thousands of spellings has all pins each time.
    package var domainsInForce: [[PinnedDomain]] {
        guard self.combination == .union, let effective = try? self.effectiveDomains() else {
            return self.domains.map { [$0] }
        }
        let byPattern = Dictionary(effective) { first, _ in first }.mapValues(\.withFewPins)
        return self.domains.map { domain in ((try? domain.patterns()) ?? []).compactMap { byPattern[$0] } }
    }

    /// Which patterns fit a host besides its most specific one is the same for all hosts of that one: so one look-up for a
    /// host of its kind tells.
    private static func united(
        _ domains: [(HostPattern, PinnedDomain)]
    ) throws(HostPatternError) -> [(HostPattern, PinnedDomain)] {
        var byPattern: [HostPattern: [PinnedDomain]] = [:]
        for (pattern, domain) in domains {
            byPattern[pattern, default: []].append(domain)
            // The name before its asterisks has fewer or other patterns that fit it than the names below.
            guard pattern.breadth == .anyDepth else { continue }
            let itself = try HostPattern(host: pattern.host, port: pattern.port)
            byPattern[itself, default: []] += []
        }
        var table = HostTable<[PinnedDomain]>()
        for (pattern, domains) in byPattern { try table.insert(domains, for: pattern) }
        var united: [(HostPattern, PinnedDomain)] = []
        for pattern in byPattern.keys.sorted(by: { "\($0)" < "\($1)" }) {
            let fitting = table.entries(for: try Self.example(of: pattern), port: pattern.port).flatMap(\.value)
            if let first = fitting.first {
                united.append((pattern, fitting.dropFirst().reduce(first) { $0.united(with: $1) }))
            }
        }
        return united
    }

    /// A host of which the pattern is the most specific one.
    static func example(of pattern: HostPattern) throws(HostPatternError) -> Host {
        let labels =
            switch pattern.breadth {
            case .exact: ""
            case .oneLabel: Self.label
            case .anyDepth: Self.label + Self.label
            }
        do {
            return try Host(labels + pattern.host)
        } catch {
            throw HostPatternError(.invalidHost(error), pattern: "\(pattern)")
        }
    }

    /// A label that no pattern has.
    private static let label = "_nobody-has-it."
}

extension PinnedDomain {
    /// The same with as few pins as tell whether there are any, and whether two of them are real.
    fileprivate var withFewPins: PinnedDomain {
        guard var pins else { return self }
        for index in pins.requirements.indices {
            let all = pins.requirements[index].pins
            let real = all.lazy.filter { !$0.isPlaceholder }.prefix(2)
            pins.requirements[index].pins = real.isEmpty ? Set(all.prefix(1)) : Set(real)
        }
        var domain = self
        domain.pins = pins
        return domain
    }

    /// The domain with the pins of another, for each scope together.
    func united(with other: PinnedDomain) -> PinnedDomain {
        guard let theirs = other.pins else { return self }
        var domain = self
        // A person is told of a few, and a hostile file has thousands.
        if domain.additions.count < 4 {
            domain.additions.append(other.host + (other.position.map { " (line \($0.line))" } ?? ""))
        }
        guard var pins else {
            domain.pins = theirs
            return domain
        }
        for requirement in theirs.requirements {
            if let index = pins.requirements.firstIndex(where: { $0.scope == requirement.scope }) {
                pins.requirements[index].pins.formUnion(requirement.pins)
            } else {
                pins.requirements.append(requirement)
            }
        }
        domain.pins = pins
        return domain
    }
}
