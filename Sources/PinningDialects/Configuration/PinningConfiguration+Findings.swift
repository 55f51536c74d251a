//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PinningConfiguration {
    /// Returns warnings about pins that are valid but risky: missing backups, placeholders and expirations.
    ///
    /// These findings do not depend on the dialect. Findings of one dialect alone come from its reader.
    ///
    /// - Parameters:
    ///   - date: The moment of the check.
    ///   - warningDays: The number of days before an expiration at which the warning starts.
    ///   - publicSuffixes: The names directly below which the public can register domains. Without a list, no suffix is known.
    /// - Returns: At most a thousand warnings in the order of the domains.
    public func findings(
        at date: Date, warningDays: Int = 30, publicSuffixes: PublicSuffixList? = nil
    ) -> [PinningDiagnostic] {
        var findings: [PinningDiagnostic] = []
        let maximum = PinningDiagnostic.maximumCount
        for (domain, inForce) in zip(self.domains, self.domainsInForce) {
            guard findings.count < maximum else { break }
            guard let pins = domain.pins else { continue }
            let audit = DomainAudit(domain: domain, pins: pins, inForce: inForce.compactMap(\.pins))
            findings +=
                [
                    audit.emptyPins, audit.placeholder, audit.singlePin, audit.leafOnly,
                    audit.expiration(at: date, warningDays: warningDays),
                    publicSuffixes.flatMap { audit.publicSuffix($0) },
                ].compactMap(\.self) + audit.announcedRotations
        }
        return Array(findings.prefix(maximum))
    }
}

/// The check of the pins of one domain.
private struct DomainAudit {
    let domain: PinnedDomain
    let pins: PinSet
    /// The pins that apply to the domain's hosts, including those that other domains add.
    let inForce: [PinSet]

    private var refusesEverything: Bool {
        self.inForce.contains { $0.requirements.contains(where: \.pins.isEmpty) }
    }

    var emptyPins: PinningDiagnostic? {
        guard self.pins.requirements.contains(where: \.pins.isEmpty) else { return nil }
        guard self.refusesEverything else {
            return self.finding(
                .emptyPins, "adds no pin to those of the other entries that count here.",
                remedy: "Remove the empty entry.")
        }
        return self.finding(
            .emptyPins, "is pinned to nothing, and every connection to it fails.",
            remedy: "Add the digests of its keys.")
    }

    var placeholder: PinningDiagnostic? {
        guard let pin = self.pins.placeholder else { return nil }
        return self.finding(
            .placeholderPin, "has the pin \(pin), which no key has.",
            remedy: "Put the digest of a real backup key there.")
    }

    /// The finding for a missing backup pin. Without a backup, a lost key locks all clients out (RFC 7469 §4.3).
    var singlePin: PinningDiagnostic? {
        guard self.domain.backup != .off, !self.refusesEverything, self.inForce.contains(where: \.lacksBackup) else {
            return nil
        }
        return self.finding(
            .singlePin, "has no second pin, and a lost key locks everyone out.",
            remedy: "Add the pin of a backup key, or of another authority.")
    }

    var leafOnly: PinningDiagnostic? {
        let isLeafOnly = self.inForce.contains { pins in
            !pins.requirements.isEmpty && pins.requirements.allSatisfy { $0.scope == .leaf }
        }
        guard isLeafOnly else { return nil }
        return self.finding(
            .leafOnly, "is pinned to the server's own keys alone, which change the most often.",
            remedy: "Pin an authority too, where the dialect can.")
    }

    /// The pins of intermediates that are replaced, each with its announcement.
    var announcedRotations: [PinningDiagnostic] {
        let rows = self.pins.pins.compactMap(AnnouncedRotation.row)
        return rows.map { row in
            self.finding(
                .announcedRotation,
                "is pinned to \(row.name), an intermediate of \(row.authority). From \(row.effective) on, others issue in its place (announced on \(row.announced)), so that the pin does not match after a renewal.",
                remedy: "Pin the server's own key, or the authority's root. The announcement: \(row.source)")
        }
    }

    func expiration(at date: Date, warningDays: Int) -> PinningDiagnostic? {
        guard let expiration = self.pins.expiration else { return nil }
        let end = Timestamp(expiration.date)
        guard date < expiration.date else {
            return self.finding(
                .expired, "has pins that ended at \(end); \(expiration.consequence.sentence).",
                remedy: "Replace the pins and the date.")
        }
        let days = expiration.date.timeIntervalSince(date) / 86_400
        guard days <= Double(warningDays) else { return nil }
        return self.finding(
            .expiresSoon, "has pins that end at \(end). Then, \(expiration.consequence.sentence).",
            remedy: "Replace the pins and the date before.")
    }

    func publicSuffix(_ list: PublicSuffixList) -> PinningDiagnostic? {
        guard self.domain.subdomains != .none, let pattern = try? self.domain.patterns().first, !pattern.isAddress,
            list.lists(pattern.host)
        else { return nil }
        return self.finding(
            .publicSuffix, "is a name under which others may register, and strangers are pinned too.",
            remedy: "Pin the names of your own.")
    }

    private func finding(_ code: PinningDiagnostic.Code, _ message: String, remedy: String) -> PinningDiagnostic {
        PinningDiagnostic(code, "\(self.domain.host.quoted) \(message)", remedy: remedy, at: self.domain.position)
    }
}

extension PinExpiration.Consequence {
    fileprivate var sentence: String {
        switch self {
        case .refuse: "every connection is refused"
        case .ignorePins: "nothing is pinned"
        case .report: "nothing is refused for lack of a pin"
        }
    }
}
