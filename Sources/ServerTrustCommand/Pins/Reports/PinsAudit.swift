//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import PinningDialects
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What there is to say of a file of pins without asking any server.
struct PinsAudit: Sendable {
    let pins: PinsFile
    let diagnostics: [PinningDiagnostic]
    /// What counts for the hosts of each domain, with what other domains add to it.
    private let inForce: [[PinnedDomain]]
    /// The moment to speak of.
    private let date: Date

    init(_ pins: PinsFile, at date: Date, warningDays: Int) {
        self.pins = pins
        self.date = date
        self.inForce = pins.reading.configuration?.domainsInForce ?? []
        let findings =
            pins.reading.configuration?.findings(
                at: date, warningDays: warningDays, publicSuffixes: PublicSuffixFile.system()) ?? []
        self.diagnostics = pins.reading.adding(findings).diagnostics
    }

    /// Errors speak against the file, and so do pins that let nothing through or have ended; other warnings are advice.
    var verdict: ReportVerdict {
        let isUsable = self.pins.reading.configuration != nil && self.refused.isEmpty && self.unpinned.isEmpty
        return isUsable ? .trusted : .notTrusted
    }

    var domains: [PinnedDomain] { self.pins.reading.configuration?.domains ?? [] }

    /// The domains to which an app connects no more, whatever the server has.
    var refused: [PinnedDomain] {
        zip(self.domains, self.inForce).filter { domain, inForce in
            domain.pins != nil && inForce.contains { $0.pins?.effect(at: self.date) == .refusesEverything }
        }.map(\.0)
    }

    /// The domains, and whether their hosts have a single pin, with what other domains add to it.
    var domainsWithBackup: [(domain: PinnedDomain, lacksBackup: Bool)] {
        zip(self.domains, self.inForce).map { domain, inForce in
            (domain, domain.pins != nil && inForce.contains { $0.pins?.lacksBackup == true })
        }
    }

    /// The domains whose pins have ended, so that an app takes any server that is trusted.
    var unpinned: [PinnedDomain] { self.domains.filter { $0.pins?.effect(at: self.date) == .pinsNothing } }
}

extension PinSet {
    /// What pins do, whatever the server has.
    fileprivate enum Effect {
        /// The keys of the server decide.
        case compares
        /// No key matches.
        case refusesEverything
        /// No key is asked for.
        case pinsNothing
    }

    /// What the pins do at a moment: an end counts before all else, as it does when an app connects.
    fileprivate func effect(at date: Date) -> Effect {
        if let expiration = self.expiration, date >= expiration.date {
            return expiration.consequence == .refuse ? .refusesEverything : .pinsNothing
        }
        let isHopeless = self.requirements.contains { $0.pins.allSatisfy(\.isPlaceholder) }
        return isHopeless && !self.isReportOnly ? .refusesEverything : .compares
    }
}

extension PinsFile {
    /// The hosts of the configuration that a chain's leaf is for.
    func hosts(of certificates: [Certificate]) -> [String] {
        guard let leaf = certificates.first else { return [] }
        var hosts = self.names.filter { ServerIdentity(host: $0, publicSuffixes: nil).match(leaf.view).isMatch }
        var seen = Set(hosts)
        for name in leaf.dnsNames where !name.contains("*") && seen.insert(name).inserted {
            // A certificate may have names that are no hosts.
            guard let host = try? Host(name) else { continue }
            if self.hosts?.domain(for: host)?.pins != nil { hosts.append(name) }
        }
        return hosts
    }

    /// The servers of the configuration: the domains with pins that are hosts themselves.
    ///
    /// - Parameters:
    ///   - defaultPort: The port of domains that name no port.
    ///   - connectAddress: The address to connect to in place of theirs; `nil` for theirs.
    func endpoints(defaultPort: Int, connectAddress: String?) throws -> [TLSEndpoint] {
        var endpoints: [TLSEndpoint] = []
        var seen: Set<TLSEndpoint> = []
        for domain in self.reading.configuration?.domains ?? [] {
            guard domain.pins != nil, domain.subdomains != .oneLabelOnly,
                let host = try? HostPattern(host: domain.host).host
            else { continue }
            let endpoint = try TLSEndpoint(
                host: host, port: domain.port ?? defaultPort, connectAddress: connectAddress)
            if seen.insert(endpoint).inserted { endpoints.append(endpoint) }
        }
        return endpoints
    }

    private var names: [String] {
        let domains = (self.reading.configuration?.domains ?? []).filter {
            $0.pins != nil && $0.subdomains != .oneLabelOnly
        }
        var seen: Set<String> = []
        return domains.compactMap { try? HostPattern(host: $0.host).host }.filter { seen.insert($0).inserted }
    }
}
