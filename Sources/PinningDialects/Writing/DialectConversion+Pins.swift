//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DialectConversion {
    /// Returns the pins that the dialect can express, or `nil` if it can express none of them.
    mutating func convert(_ pins: PinSet, of domain: PinnedDomain, dialect: DialectCapabilities) -> PinSet? {
        var converted = PinSet(unchecked: self.requirements(of: pins, domain, dialect: dialect))
        guard !converted.requirements.isEmpty,
            dialect.hasEmptyPins || converted.requirements.allSatisfy({ !$0.pins.isEmpty })
        else {
            self.lose(domain, "it is left out", isWeaker: true)
            return nil
        }
        // The dialects' own order. It decides which of several verified paths has to match, never whether one has to.
        converted.comparison = dialect.comparison
        converted.isReportOnly = pins.isReportOnly && dialect.hasReports
        if pins.isReportOnly, !dialect.hasReports { self.lose(domain, "report-only becomes refusal") }
        converted.exemptAnchors = pins.exemptAnchors.intersection(dialect.exempt)
        if converted.exemptAnchors != pins.exemptAnchors { self.lose(domain, "some anchors are no longer exempt") }
        converted.expiration = self.expiration(of: pins, domain, dialect: dialect)
        return converted
    }

    private mutating func requirements(
        of pins: PinSet, _ domain: PinnedDomain, dialect: DialectCapabilities
    ) -> [PinSet.Requirement] {
        var converted: [PinSet.Requirement] = []
        for requirement in pins.requirements {
            let scope = self.scope(requirement.scope, domain, dialect: dialect)
            let keys = requirement.pins.filter { $0.kind == .publicKey }
            if keys.count < requirement.pins.count { self.lose(domain, "pins of whole certificates are left out") }
            if let index = converted.firstIndex(where: { $0.scope == scope }) {
                self.lose(domain, "one pin of several requirements is enough", isWeaker: true)
                converted[index].pins.formUnion(keys)
            } else {
                converted.append(PinSet.Requirement(keys, scope: scope))
            }
        }
        // Sorts the requirements, so that the text does not depend on their order.
        return converted.sorted { left, right in
            (dialect.scopes.firstIndex(of: left.scope) ?? 0) < (dialect.scopes.firstIndex(of: right.scope) ?? 0)
        }
    }

    /// Returns a scope of the dialect. A part of the path in place of the whole path is stricter. Every other replacement accepts
    /// other keys.
    private mutating func scope(
        _ scope: PinRequirement.Scope, _ domain: PinnedDomain, dialect: DialectCapabilities
    ) -> PinRequirement.Scope {
        guard !dialect.scopes.contains(scope), let other = dialect.scopes.first else { return scope }
        self.lose(
            domain, "pins are looked for in “\(other.rawValue)”, not in “\(scope.rawValue)”", isWeaker: scope != .path)
        return other
    }

    /// Returns the expiration rounded up to a day. Pins that expire later or never are stricter than pins that are ignored after
    /// their expiration.
    private mutating func expiration(
        of pins: PinSet, _ domain: PinnedDomain, dialect: DialectCapabilities
    ) -> PinExpiration? {
        guard let expiration = pins.expiration else { return nil }
        guard dialect.consequences.contains(expiration.consequence) else {
            self.lose(domain, "the pins never end")
            return nil
        }
        guard let day = expiration.day else {
            self.lose(domain, "the pins never end, for they end in a year")
            return nil
        }
        if day.date != expiration.date { self.lose(domain, "the pins end a few hours later") }
        return day
    }
}

// MARK: Several domains

extension DialectConversion {
    /// Converts the domains to the dialect's rule for a host that several domains match.
    mutating func combined(
        _ configuration: PinningConfiguration, _ dialect: DialectCapabilities
    ) -> PinningConfiguration {
        var combined = configuration
        combined.combination = dialect.combination
        guard combined.combination != configuration.combination else { return combined }
        let overlapping = configuration.overlappingDomains()
        guard !overlapping.isEmpty else { return combined }
        if dialect.combination == .mostSpecific, let domains = try? configuration.effectiveDomains() {
            combined.domains = domains.map { PinnedDomain($0.0, $0.1) }
            return combined
        }
        for domain in overlapping {
            self.lose(domain, "the pins of wider domains count too", isWeaker: true)
        }
        return combined
    }

    /// Returns the domains with the entries of the same host merged.
    mutating func merged(_ domains: [PinnedDomain], _ dialect: DialectCapabilities) -> [PinnedDomain] {
        var merged: [PinnedDomain] = []
        var indices: [String: Int] = [:]
        for domain in domains {
            let host = (try? HostPattern(host: domain.host))?.host ?? domain.host
            if let index = indices[host] {
                merged[index] = self.merged(merged[index], domain, dialect: dialect)
            } else {
                indices[host] = merged.count
                merged.append(domain)
            }
        }
        return merged
    }

    private mutating func merged(
        _ left: PinnedDomain, _ right: PinnedDomain, dialect: DialectCapabilities
    ) -> PinnedDomain {
        var result = dialect.combination == .union ? PinnedDomain.united([left, right]) ?? left : left
        result.subdomains = left.subdomains.union(right.subdomains)
        if left.port != right.port { result.port = nil }
        var same = right
        (same.subdomains, same.position, same.host) = (left.subdomains, left.position, left.host)
        let isUnion = dialect.combination == .union && left.subdomains == right.subdomains && left.port == right.port
        if same != left, !isUnion { self.lose(right, "what another entry says of it counts", isWeaker: true) }
        return result
    }
}

extension PinnedDomain {
    fileprivate init(_ pattern: HostPattern, _ domain: PinnedDomain) {
        self = domain
        self.host = pattern.host
        self.port = pattern.port
        self.subdomains = Subdomains(pattern.breadth)
    }
}

extension PinningConfiguration {
    /// Returns the domains that share hosts with another domain.
    fileprivate func overlappingDomains() -> [PinnedDomain] {
        var table = HostTable<Bool>()
        var overlapping: [PinnedDomain] = []
        for domain in self.domains {
            for pattern in (try? domain.patterns()) ?? [] {
                do {
                    try table.insert(true, for: pattern)
                } catch {
                    overlapping.append(domain)
                }
            }
        }
        for domain in self.domains {
            let patterns = (try? domain.patterns()) ?? []
            let isAlone = patterns.allSatisfy { pattern in
                guard let host = try? Self.example(of: pattern) else { return true }
                return table.entries(for: host, port: pattern.port).count < 2
            }
            if !isAlone { overlapping.append(domain) }
        }
        return overlapping
    }
}

extension PinExpiration {
    /// The first midnight at or after the expiration, or `nil` for a year without four digits.
    fileprivate var day: PinExpiration? {
        let days = (self.date.timeIntervalSince1970 / 86_400).rounded(.up)
        let text = Timestamp(Date(timeIntervalSince1970: days * 86_400)).description
        return try? PinExpiration(String(text.prefix(10)), then: self.consequence)
    }

    /// The shortest text that `init(_:then:)` reads, or `nil` for a year without four digits.
    var text: String? {
        let text = Timestamp(self.date).description
        guard (try? PinExpiration(text, then: self.consequence)) != nil else { return nil }
        return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
    }
}
