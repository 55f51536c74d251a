//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire

/// The facts about a server as text, for all formats for people.
enum FactLines {
    /// Returns the known facts about a server, including its redirects.
    static func lines(_ server: DiagnosedServer) -> [FactLine] {
        self.lines(server.diagnosis.facts)
            + [server.redirects.map(self.redirects) ?? FactLine("Page", ["not asked for, nor redirects"])]
    }

    /// Returns the facts except those that the page shows as grids: tested cipher suites and features.
    static func linesBesideGrids(_ server: DiagnosedServer) -> [FactLine] {
        let grids = Set(server.facts.cipherSuites.filter(\.isGrid).map { "\($0.version)" } + ["Features"])
        return self.lines(server).filter { !grids.contains($0.label) }
    }

    private static func redirects(_ trace: RedirectTrace) -> FactLine {
        var values = trace.destinations.map { "redirects to \($0.scheme)://\($0.host):\($0.port)" }
        if let failure = trace.failure { values.append("no answer to a request: \(failure)") }
        return FactLine("Page", values.isEmpty ? ["answers without a redirect"] : values)
    }

    static func lines(_ facts: ServerFacts) -> [FactLine] {
        var lines = [FactLine("Address", [facts.address ?? "not connected"] + Self.serverName(facts))]
        lines.append(FactLine("Versions", Self.versions(facts)))
        lines += facts.cipherSuites.filter { !$0.suites.isEmpty }.map(Self.suites)
        lines += facts.cipherSuites.isEmpty ? Self.selections(facts) : []
        lines += facts.groups.filter { !$0.groups.isEmpty || !$0.primeSizes.isEmpty }.map(Self.groups)
        let features = FeatureLines.features(facts.features)
        if !features.isEmpty { lines.append(FactLine("Features", features)) }
        if !facts.anomalies.isEmpty { lines.append(FactLine("Oddities", facts.anomalies.map(\.message))) }
        lines.append(FactLine("Effort", [Self.effort(facts.effort)]))
        return lines.filter { !$0.values.isEmpty }
    }

    private static func serverName(_ facts: ServerFacts) -> [String] {
        facts.serverName.map { ["asked for \($0)"] } ?? ["asked for no name (SNI)"]
    }

    private static func versions(_ facts: ServerFacts) -> [String] {
        let refused = facts.versions.filter { if case .refused = $0.support { true } else { false } }
        let spoken = facts.supportedVersions.map(\.description)
        var values = spoken.isEmpty ? [] : [spoken.joined(separator: ", ")]
        // The plan for App Transport Security offers only what Apple's systems offer. The server may accept another offer.
        let offer = facts.plan == .ats ? " (as Apple's systems offer it)" : ""
        if !refused.isEmpty {
            values.append("not " + refused.map(\.version.description).joined(separator: ", ") + offer)
        }
        for fact in facts.versions {
            guard case .unknown(let failure) = fact.support else { continue }
            values.append("\(fact.version) is not known: \(failure.message)")
        }
        if let failure = facts.failure { values.append(failure.message) }
        return values
    }

    private static func suites(_ suites: CipherSuiteFacts) -> FactLine {
        let order =
            switch suites.order {
            case .server: "in the server's order"
            case .client: "in the client's order"
            case .unknown: suites.suites.count > 1 ? "in an order that was not asked for" : nil as String?
            }
        let more = suites.isComplete ? nil : "there may be more" + (suites.failure.map { ": \($0.message)" } ?? "")
        let notes = [order, more].compactMap(\.self).joined(separator: "; ")
        if let newer = suites.inferredFrom {
            let count = "\(suites.suites.count) suites, those of \(newer) that are old enough"
            return FactLine("\(suites.version)", ["\(count) (\(notes), by samples: a deep plan asks for each)"])
        }
        return FactLine("\(suites.version)", suites.suites.map(Self.words) + (notes.isEmpty ? [] : ["(\(notes))"]))
    }

    /// Returns the name of a suite with its serious faults.
    private static func words(_ suite: CipherSuite) -> String {
        let faults = [
            suite.isNull ? "no encryption" : nil, suite.isAnonymous ? "no certificate" : nil,
            suite.protection == .broken && !suite.isNull ? "broken" : nil,
            suite.hasForwardSecrecy || suite.isNull ? nil : "no forward secrecy",
        ].compactMap(\.self)
        return faults.isEmpty ? "\(suite)" : "\(suite)  \(faults.joined(separator: ", "))"
    }

    /// Returns the choices of the server, unless all suites were tested.
    private static func selections(_ facts: ServerFacts) -> [FactLine] {
        guard !facts.selections.isEmpty else { return [] }
        return [FactLine("Chosen", facts.selections.map { "\($0.version), \($0.cipherSuite) (\($0.offer.words))" })]
    }

    private static func groups(_ groups: GroupFacts) -> FactLine {
        let primes = groups.primeSizes.map { "a prime of \($0) bits" }
        let more = groups.isComplete ? [] : ["(there may be more)"]
        let values = groups.groups.map(\.description) + primes
        let label = groups.version >= .tls13 ? "Groups" : "Groups, TLS 1.2"
        return FactLine(label, ([values.joined(separator: ", ")] + more).filter { !$0.isEmpty })
    }

    private static func effort(_ effort: ProbeEffort) -> String {
        let retries = effort.retries > 0 ? ", \(effort.retries) of them repeated" : ""
        let degraded = effort.isDegraded ? ". The server began to refuse connections, so there may be more" : ""
        let (seconds, attoseconds) = effort.duration.components
        let tenths = attoseconds / 100_000_000_000_000_000
        return "\(CountText.text(effort.connections, "connection"))\(retries), \(seconds).\(tenths) s\(degraded)"
    }
}

extension ServerSelection.Offer {
    var words: String {
        switch self {
        case .ats: "of what App Transport Security offers"
        case .atsTLS12: "of the same without TLS 1.3"
        case .fcp: "of FCP_v2.1's"
        case .compatible: "without forward secrecy"
        case .tls11: "of everything in TLS 1.1"
        case .tls10: "of everything in TLS 1.0"
        case .everything: "of everything"
        }
    }
}

extension CipherSuiteFacts {
    /// `true` if every suite was tested, so that a table of the suites is accurate.
    var isGrid: Bool { !self.suites.isEmpty && self.inferredFrom == nil }
}
