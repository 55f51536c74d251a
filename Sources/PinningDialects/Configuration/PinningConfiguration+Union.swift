//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

extension PinningConfiguration {
    /// Returns every pattern with its domains, in the order of the file.
    ///
    /// - Throws: `HostPatternError` if a host is not valid, or if two domains have the same pattern and the configuration permits
    ///   only one.
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

    /// The effective domains for the patterns of each domain, in the order of the domains. In a union, an effective domain
    /// includes the pins of all domains that match.
    ///
    /// Each requirement keeps at most two real pins, which suffice to detect missing pins and missing backups. Otherwise each of
    /// thousands of domains below one name, or of spellings of one name, would hold all pins.
    package var domainsInForce: [[PinnedDomain]] {
        let domains = self.domains.map(\.withFewPins)
        let few = PinningConfiguration(domains: domains, combination: self.combination)
        guard self.combination == .union, let effective = try? few.effectiveDomains(reducing: \.withFewPins) else {
            return domains.map { [$0] }
        }
        let byPattern = Dictionary(effective) { first, _ in first }
        return domains.map { domain in ((try? domain.patterns()) ?? []).compactMap { byPattern[$0] } }
    }

    /// Returns every pattern with the domain that applies to the hosts for which it is the most specific pattern. The result fits
    /// a dialect in which only one domain applies to a host.
    ///
    /// All hosts with the same most specific pattern match the same other patterns, so one look-up of an example host suffices.
    /// - Parameter reduce: Reduces the pins of a united domain.
    func effectiveDomains(
        reducing reduce: (PinnedDomain) -> PinnedDomain = { $0 }
    ) throws(HostPatternError) -> [(HostPattern, PinnedDomain)] {
        var table = HostTable<PinnedDomain?>()
        var patterns: [HostPattern] = []
        for (pattern, domains) in try self.domainsByPattern() {
            try table.insert(PinnedDomain.united(domains).map(reduce), for: pattern)
            patterns.append(pattern)
        }
        // The name before its asterisks matches fewer or other patterns than the names below it.
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

    /// Returns a host for which the pattern is the most specific one.
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
    /// The domain with just enough pins to detect missing pins and missing backups.
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

    /// Returns the first domain with the pins of the others added, scope by scope, or `nil` if the list is empty.
    static func united(_ domains: [PinnedDomain]) -> PinnedDomain? {
        guard var domain = domains.first else { return nil }
        for other in domains.dropFirst() { domain.unite(with: other) }
        return domain
    }

    private mutating func unite(with other: PinnedDomain) {
        guard let theirs = other.pins else { return }
        // A few names suffice for a person, and a hostile file has thousands.
        if self.additions.count < 4 {
            self.additions.append(other.host + (other.position.map { " (line \($0.line))" } ?? ""))
        }
        guard var pins = self.pins else {
            self.pins = theirs
            return
        }
        // Grows the sets in place, so that a name in thousands of spellings is not copied for each.
        self.pins = nil
        pins.unite(with: theirs)
        self.pins = pins
    }
}

extension PinSet {
    /// Adds pins scope by scope. Any other exemption holds only if both sets have it.
    fileprivate mutating func unite(with other: PinSet) {
        for requirement in other.requirements {
            if let index = self.requirements.firstIndex(where: { $0.scope == requirement.scope }) {
                self.requirements[index].pins.formUnion(requirement.pins)
            } else {
                self.requirements.append(requirement)
            }
        }
        self.isReportOnly = self.isReportOnly && other.isReportOnly
        // The stricter step: the path that the search chose must have a pin.
        if other.comparison == .afterSearch { self.comparison = .afterSearch }
        self.exemptAnchors.formIntersection(other.exemptAnchors)
        if self.expiration != other.expiration { self.expiration = nil }
    }
}
