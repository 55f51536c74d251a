//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Converts a configuration to one that a dialect can express, and reports every loss: as a warning if the result accepts less,
/// as an error if it accepts more.
struct DialectConversion {
    private(set) var log = DiagnosticLog()
    private let dialect: DialectCapabilities?

    /// Creates a conversion.
    ///
    /// - Parameter dialect: The settings that the dialect can express, or `nil` for all settings.
    init(_ dialect: DialectCapabilities?) {
        self.dialect = dialect
    }

    mutating func convert(_ configuration: PinningConfiguration) -> PinningConfiguration {
        guard let dialect else { return self.checkingDates(of: configuration) }
        var converted = self.combined(configuration, dialect)
        if dialect.hasOneEntryPerHost { converted.domains = self.merged(converted.domains, dialect) }
        converted.domains = converted.domains.compactMap { self.convert($0, dialect) }
        return converted
    }

    /// Reports years without four digits, the only values that this package's own format cannot express.
    private mutating func checkingDates(of configuration: PinningConfiguration) -> PinningConfiguration {
        for domain in configuration.domains {
            guard let expiration = domain.pins?.expiration, expiration.text == nil else { continue }
            self.log.add(
                .inexpressible, "\(domain.host.quoted): the end of the pins is no date that can be written.",
                remedy: "Let them end in a year of four digits.", at: domain.position)
        }
        return configuration
    }

    private mutating func convert(_ domain: PinnedDomain, _ dialect: DialectCapabilities) -> PinnedDomain? {
        var domain = domain
        guard let host = self.host(of: domain) else { return nil }
        domain.host = host
        if !dialect.hasPorts, let port = domain.port {
            self.lose(domain, "the port \(port) is left out", isWeaker: domain.pins == nil)
            domain.port = nil
        }
        guard let pins = domain.pins else { return self.convertUnpinned(domain, dialect) }
        domain.pins = self.convert(pins, of: domain, dialect: dialect)
        guard domain.pins != nil else { return nil }
        domain.subdomains = self.subdomains(of: domain, dialect.subdomains)
        if !dialect.hasReports, !domain.reportURIs.isEmpty {
            self.lose(domain, "nothing is reported")
            domain.reportURIs = []
        }
        self.convertAnchors(of: &domain, dialect)
        return domain
    }

    private mutating func convertUnpinned(_ domain: PinnedDomain, _ dialect: DialectCapabilities) -> PinnedDomain? {
        guard !dialect.unpinnedSubdomains.isEmpty else {
            self.lose(domain, "a domain without pins is left out, and pinned where a wider one is")
            return nil
        }
        var domain = domain
        domain.subdomains = self.subdomains(of: domain, dialect.unpinnedSubdomains)
        domain.reportURIs = []
        self.convertAnchors(of: &domain, dialect)
        return domain
    }

    private mutating func host(of domain: PinnedDomain) -> String? {
        do {
            return try domain.patterns().first?.host
        } catch {
            self.log.add(
                .invalidHost, domain.host.quoted, error: error, otherwise: "write a DNS name", at: domain.position)
            return nil
        }
    }

    mutating func lose(_ domain: PinnedDomain, _ what: String, isWeaker: Bool = false) {
        let name = self.dialect?.name ?? ""
        self.log.add(
            isWeaker ? .inexpressible : .ignored, "\(domain.host.quoted): \(what), for \(name) has no words for it.",
            remedy: isWeaker
                ? "Do not use the text for this host. More would be let through." : "Nothing more is let through.",
            at: domain.position)
    }
}

// MARK: Hosts

extension DialectConversion {
    /// Returns the narrowest permitted set of sub-domains that includes those of the domain, or the widest one if none does.
    private mutating func subdomains(
        of domain: PinnedDomain, _ known: Set<PinnedDomain.Subdomains>
    ) -> PinnedDomain.Subdomains {
        guard !known.contains(domain.subdomains) else { return domain.subdomains }
        let wider = PinnedDomain.Subdomains.allCases.filter(known.contains).first {
            $0.hosts.isSuperset(of: domain.subdomains.hosts)
        }
        let chosen = wider ?? PinnedDomain.Subdomains.allCases.last(where: known.contains) ?? .none
        let isMore = wider != nil
        // To pin more hosts is stricter. To leave more hosts unpinned is not.
        self.lose(
            domain, "it is written for \(chosen.words), which is \(isMore ? "more" : "fewer") hosts",
            isWeaker: isMore == (domain.pins == nil))
        return chosen
    }

    private mutating func convertAnchors(of domain: inout PinnedDomain, _ dialect: DialectCapabilities) {
        guard !dialect.hasAnchors, let anchors = domain.anchors else { return }
        // The default anchors of Android apps are the only ones that these dialects can express.
        if anchors != AnchorSources(classes: [.system]) {
            self.lose(domain, "the anchors are left out", isWeaker: true)
        }
        domain.anchors = nil
    }
}

extension PinnedDomain.Subdomains {
    private enum Hosts { case itself, below, deepBelow }

    /// The covered hosts, by their relation to the domain.
    fileprivate var hosts: Set<AnyHashable> {
        switch self {
        case .none: [Hosts.itself]
        case .oneLabelOnly: [Hosts.below]
        case .oneLabel: [Hosts.itself, Hosts.below]
        case .anyDepth: [Hosts.itself, Hosts.below, Hosts.deepBelow]
        }
    }

    fileprivate var words: String {
        switch self {
        case .none: "the host alone"
        case .oneLabelOnly: "names with one label more"
        case .oneLabel: "the host and names with one label more"
        case .anyDepth: "the host and all names below"
        }
    }

    /// Returns the narrowest set that includes both.
    func union(_ other: Self) -> Self {
        let hosts = self.hosts.union(other.hosts)
        return Self.allCases.first { $0.hosts.isSuperset(of: hosts) } ?? .anyDepth
    }
}
