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

/// How a configuration is made of paths.
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

    /// What the dialect's pins do when they end.
    var consequence: PinExpiration.Consequence {
        switch self.dialect {
        case .android, .trustkit: .ignorePins
        case .ios, .okhttp, .curl, .json: .refuse
        }
    }

    /// What the dialect takes for the names below a host.
    private var subdomains: PinnedDomain.Subdomains {
        guard self.includesSubdomains else { return .none }
        return self.dialect == .ios ? .oneLabel : .anyDepth
    }

    /// What a person should know of it.
    var notes: [String] {
        guard self.dialect == .ios, !self.backups.isEmpty, !self.roles.contains(.leaf) else { return [] }
        return [
            "the pins of --backup count as keys of authorities here. Add --of leaf where a backup is a key of the server's own"
        ]
    }

    /// Whether its pins have ended at a time, so that nothing would be let through, or nothing would be pinned.
    func hasEnded(at date: Date = Date()) -> Bool { self.expiration.map { $0.date <= date } ?? false }

    /// The domain of a target.
    ///
    /// - Throws: `PinError` when nothing of its path is to be pinned.
    func domain(host: String, port: Int?, path: [Certificate]) throws(PinError) -> PinnedDomain {
        let chosen = PathPin.pins(of: path).filter { self.roles.contains($0.role) }
        var pins = try PinSet(self.requirements(chosen))
        pins.expiration = self.expiration
        return PinnedDomain(host, subdomains: self.subdomains, port: port == 443 ? nil : port, pins: pins)
    }

    /// Apple's systems want a pin of the leaf and one above it where both are given; the others one of all.
    private func requirements(_ chosen: [PathPin]) -> [PinSet.Requirement] {
        guard self.dialect == .ios else {
            let scope: PinRequirement.Scope = self.dialect == .curl ? .leaf : .path
            return [PinSet.Requirement(chosen.map(\.pin) + self.backups, scope: scope)]
        }
        let leaves = chosen.filter { $0.role == .leaf }.map(\.pin)
        let authorities = chosen.filter { $0.role != .leaf }.map(\.pin)
        // A spare key is the server's own, where its own key is pinned.
        let groups = [
            PinSet.Requirement(leaves.isEmpty ? [] : leaves + self.backups, scope: .leaf),
            PinSet.Requirement(authorities + (leaves.isEmpty ? self.backups : []), scope: .authorities),
        ]
        return groups.filter { !$0.pins.isEmpty }
    }
}

/// A configuration made of paths, as text.
struct PinConfigurationText: Sendable {
    let dialect: PinningDialect
    /// The configuration; empty when there is nothing to pin.
    let text: String
    /// What a person should know of it.
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
        // A text that lets more through than it was made from must not be put to use.
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
