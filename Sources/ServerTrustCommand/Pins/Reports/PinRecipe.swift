//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import PinningDialects
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The settings for creating a configuration from paths.
struct PinRecipe: Sendable {
    let dialect: PinningDialect
    var roles: Set<PinRole>
    let backups: [Pin]
    let includesSubdomains: Bool
    var expiration: PinExpiration?

    init(dialect: PinningDialect, backups: [Pin], includesSubdomains: Bool) {
        self.dialect = dialect
        self.backups = backups
        self.includesSubdomains = includesSubdomains
        self.roles =
            switch dialect {
            case .ios: [.intermediate, .root]
            case .curl: [.leaf]
            case .android, .trustkit, .okhttp, .json: [.leaf, .intermediate]
            }
    }

    /// The dialect's effect of expired pins.
    var consequence: PinExpiration.Consequence {
        switch self.dialect {
        case .android, .trustkit: .ignorePins
        case .ios, .okhttp, .curl, .json: .refuse
        }
    }

    /// The sub-domains that the dialect can cover.
    private var subdomains: PinnedDomain.Subdomains {
        guard self.includesSubdomains else { return .none }
        return self.dialect == .ios ? .oneLabel : .anyDepth
    }

    var notes: [String] {
        guard self.dialect == .ios, !self.backups.isEmpty, !self.roles.contains(.leaf) else { return [] }
        return [
            "the pins of --backup count as keys of authorities here. Add --of leaf where a backup is a key of the server's own"
        ]
    }

    /// Returns `true` if the pins have expired, so that the configuration would accept nothing or pin nothing.
    func hasEnded(at date: Date = Date()) -> Bool { self.expiration.map { $0.date <= date } ?? false }

    /// Returns the domain for a target.
    ///
    /// - Throws: `PinError` if there is no key of the path to pin.
    func domain(host: String, port: Int?, path: [Certificate]) throws(PinError) -> PinnedDomain {
        let chosen = PathPin.pins(of: path).filter { self.roles.contains($0.role) }
        var pins = try PinSet(self.requirements(chosen))
        pins.expiration = self.expiration
        return PinnedDomain(host, subdomains: self.subdomains, port: port == 443 ? nil : port, pins: pins)
    }

    /// Returns the requirements. If both kinds are given, Apple's systems require a pin of the leaf and a pin above it. The other
    /// dialects require any one of the pins.
    private func requirements(_ chosen: [PathPin]) -> [PinSet.Requirement] {
        guard self.dialect == .ios else {
            let scope: PinRequirement.Scope = self.dialect == .curl ? .leaf : .path
            return [PinSet.Requirement(chosen.map(\.pin) + self.backups, scope: scope)]
        }
        let leaves = chosen.filter { $0.role == .leaf }.map(\.pin)
        let authorities = chosen.filter { $0.role != .leaf }.map(\.pin)
        // If the server's own key is pinned, the backup is another key of the server.
        let groups = [
            PinSet.Requirement(leaves.isEmpty ? [] : leaves + self.backups, scope: .leaf),
            PinSet.Requirement(authorities + (leaves.isEmpty ? self.backups : []), scope: .authorities),
        ]
        return groups.filter { !$0.pins.isEmpty }
    }
}

/// A configuration created from paths, as text.
struct PinConfigurationText: Sendable {
    let dialect: PinningDialect
    /// The configuration, or an empty text if there is nothing to pin.
    let text: String
    let notes: [String]

    init(_ targets: [JudgedTarget], _ recipe: PinRecipe) throws {
        var configuration = PinningConfiguration(
            combination: recipe.dialect == .ios || recipe.dialect == .okhttp ? .union : .mostSpecific)
        var notes: [String] = []
        for target in targets {
            guard target.verdict == .trusted else {
                if target.verdict == .notTrusted { notes.append(Self.untrusted(target)) }
                continue
            }
            guard let host = target.host ?? target.path.first?.dnsNames.first else {
                throw CommandError("\(target.name): no host to write the pins for. Give --host NAME")
            }
            do {
                configuration.domains.append(try recipe.domain(host: host, port: target.port, path: target.path))
            } catch {
                throw CommandError("\(target.name): \(error)")
            }
        }
        let written = PinningWriter(recipe.dialect).write(configuration)
        // A text that accepts more than the configuration must not be used.
        if let error = written.diagnostics.first(where: { $0.severity == .error }) { throw CommandError("\(error)") }
        self.dialect = recipe.dialect
        self.text = configuration.domains.isEmpty ? "" : written.text
        self.notes = notes + written.diagnostics.map(\.description) + Self.single(configuration) + recipe.notes
    }

    private static func untrusted(_ target: JudgedTarget) -> String {
        guard case .judged(_, let findings) = target.outcome, let first = findings.first else { return "" }
        return "\(target.name) is not trusted, and not pinned: \(first.message) \(first.remedy)"
    }

    private static func single(_ configuration: PinningConfiguration) -> [String] {
        configuration.domains.filter { $0.pins?.lacksBackup == true }.map {
            "\($0.host): one pin alone locks everyone out when its key is lost. Add --backup PIN, or more with --of"
        }
    }
}
