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

/// The check of a file of pins without any connection.
struct PinsAudit: Sendable {
    let pins: PinsFile
    let diagnostics: [PinningDiagnostic]
    /// The effective domains for the hosts of each domain, including the pins that other domains add.
    private let inForce: [[PinnedDomain]]
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

    /// The verdict. Errors, expired pins and pins that accept nothing make it negative. Other warnings are advice.
    var verdict: ReportVerdict {
        let isUsable = self.pins.reading.configuration != nil && self.refused.isEmpty && self.unpinned.isEmpty
        return isUsable ? .trusted : .notTrusted
    }

    var domains: [PinnedDomain] { self.pins.reading.configuration?.domains ?? [] }

    /// The domains to which no app can connect, independent of the server's certificates.
    var refused: [PinnedDomain] {
        zip(self.domains, self.inForce).filter { domain, inForce in
            domain.pins != nil && inForce.contains { $0.pins?.effect(at: self.date) == .refusesEverything }
        }.map(\.0)
    }

    /// The domains, each with `true` if its hosts have no backup pin, including the pins that other domains add.
    var domainsWithBackup: [(domain: PinnedDomain, lacksBackup: Bool)] {
        zip(self.domains, self.inForce).map { domain, inForce in
            (domain, domain.pins != nil && inForce.contains { $0.pins?.lacksBackup == true })
        }
    }

    /// The domains with expired pins, to which apps connect if the server is trusted.
    var unpinned: [PinnedDomain] { self.domains.filter { $0.pins?.effect(at: self.date) == .pinsNothing } }
}

extension PinSet {
    /// The effect of pins, independent of the server's certificates.
    fileprivate enum Effect {
        /// The keys of the server are compared with the pins.
        case compares
        /// The pins refuse every key.
        case refusesEverything
        /// The pins accept every key.
        case pinsNothing
    }

    /// Returns the effect of the pins at a date. The expiration takes precedence, as in a connection of an app.
    fileprivate func effect(at date: Date) -> Effect {
        if let expiration = self.expiration, date >= expiration.date {
            return expiration.consequence == .refuse ? .refusesEverything : .pinsNothing
        }
        let isHopeless = self.requirements.contains { $0.pins.allSatisfy(\.isPlaceholder) }
        return isHopeless && !self.isReportOnly ? .refusesEverything : .compares
    }
}

extension PinsFile {
    /// Returns the hosts of the configuration that the leaf of a chain is valid for.
    func hosts(of certificates: [Certificate]) -> [String] {
        guard let leaf = certificates.first else { return [] }
        var hosts = self.names.filter { ServerIdentity(host: $0, publicSuffixes: nil).match(leaf.view).isMatch }
        var seen = Set(hosts)
        for name in leaf.dnsNames where !name.contains("*") && seen.insert(name).inserted {
            // A certificate may contain names that are not hosts.
            guard let host = try? Host(name) else { continue }
            if self.hosts?.domain(for: host)?.pins != nil { hosts.append(name) }
        }
        return hosts
    }

    /// Returns the servers of the configuration: the domains with pins that are hosts themselves.
    ///
    /// - Parameters:
    ///   - defaultPort: The port of domains without a port.
    ///   - connectAddress: The address to connect to instead of the hosts' addresses, or `nil` for their own.
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
