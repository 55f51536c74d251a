//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

extension PinningConfiguration {
    /// Every pattern with the domains that have it, in the order of the file.
    ///
    /// - Throws: `HostPatternError` when a host is not valid, or two domains have one pattern and only one can speak.
    func domainsByPattern() throws(HostPatternError) -> [(HostPattern, [PinnedDomain])] {
        var indices: [HostPattern: Int] = [:]
        var domains: [(pattern: HostPattern, domains: [PinnedDomain])] = []
        for domain in self.domains {
            for pattern in try domain.patterns() {
                guard let index = indices[pattern] else {
                    indices[pattern] = domains.count
                    domains.append((pattern, [domain]))
                    continue
                }
                guard self.combination == .union else { throw HostPatternError(.duplicate, pattern: "\(pattern)") }
                domains[index].domains.append(domain)
            }
        }
        return domains
    }

    /// What counts for the hosts of each domain, in the order of the domains: for each of a domain's patterns its own pins, with
    /// those of the others that fit where all of them count together.
    ///
    /// Of each requirement it has two real pins at most, which tell whether there are any and whether one is a backup: each of
    /// thousands of domains below one name, or in one spelling of it, would have all pins otherwise.
    package var domainsInForce: [[PinnedDomain]] {
        let domains = self.domains.map(\.withFewPins)
        let few = PinningConfiguration(domains: domains, combination: self.combination)
        guard self.combination == .union, let effective = try? few.effectiveDomains(reducing: \.withFewPins) else {
            return domains.map { [$0] }
        }
        let byPattern = Dictionary(effective) { first, _ in first }
        return domains.map { domain in ((try? domain.patterns()) ?? []).compactMap { byPattern[$0] } }
    }

    /// Every pattern with what speaks for the hosts it is the most specific of, for a dialect in which one domain speaks.
    ///
    /// Which patterns fit a host besides its most specific one is the same for all hosts of that one: so one look-up for a
    /// host of its kind tells.
    /// - Parameter reduce: What is done with pins that were put together.
    func effectiveDomains(
        reducing reduce: (PinnedDomain) -> PinnedDomain = { $0 }
    ) throws(HostPatternError) -> [(HostPattern, PinnedDomain)] {
        var table = HostTable<PinnedDomain?>()
        var patterns: [HostPattern] = []
        for (pattern, domains) in try self.domainsByPattern() {
            try table.insert(PinnedDomain.united(domains).map(reduce), for: pattern)
            patterns.append(pattern)
        }
        // The name before its asterisks has fewer or other patterns that fit it than the names below.
        for pattern in patterns where pattern.breadth == .anyDepth {
            let itself = try HostPattern(host: pattern.host, port: pattern.port)
            guard (try? table.insert(nil, for: itself)) != nil else { continue }
            patterns.append(itself)
        }
        var effective: [(HostPattern, PinnedDomain)] = []
        for pattern in patterns.sorted(by: { "\($0)" < "\($1)" }) {
            let fitting = table.entries(for: try Self.example(of: pattern), port: pattern.port)
            guard let domain = PinnedDomain.united(fitting.compactMap(\.value)) else { continue }
            effective.append((pattern, reduce(domain)))
        }
        return effective
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

    /// The first of several domains with the pins of the others, for each scope together; `nil` without any.
    static func united(_ domains: [PinnedDomain]) -> PinnedDomain? {
        guard var domain = domains.first else { return nil }
        for other in domains.dropFirst() { domain.unite(with: other) }
        return domain
    }

    private mutating func unite(with other: PinnedDomain) {
        guard let theirs = other.pins else { return }
        // A person is told of a few, and a hostile file has thousands.
        if self.additions.count < 4 {
            self.additions.append(other.host + (other.position.map { " (line \($0.line))" } ?? ""))
        }
        guard var pins = self.pins else {
            self.pins = theirs
            return
        }
        // The sets grow where they are: a name in thousands of spellings is not copied for each.
        self.pins = nil
        pins.unite(with: theirs)
        self.pins = pins
    }
}

extension PinSet {
    /// Adds pins for each scope; whatever else lets a path through without one holds only where both say it.
    fileprivate mutating func unite(with other: PinSet) {
        for requirement in other.requirements {
            if let index = self.requirements.firstIndex(where: { $0.scope == requirement.scope }) {
                self.requirements[index].pins.formUnion(requirement.pins)
            } else {
                self.requirements.append(requirement)
            }
        }
        self.isReportOnly = self.isReportOnly && other.isReportOnly
        self.exemptAnchors.formIntersection(other.exemptAnchors)
        if self.expiration != other.expiration { self.expiration = nil }
    }
}
