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

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The output of `servertrust diagnose --format html`.
struct DiagnosisPage {
    private let servers: [DiagnosedServer]
    private let products: [ServerProduct]

    init(_ servers: [DiagnosedServer], _ products: [ServerProduct]?) {
        self.servers = servers
        self.products = products ?? ServerProduct.allCases
    }

    var text: String {
        HTMLPage(title: "\(self.name): App Transport Security", body: self.body).text
    }

    /// The host, or the number of servers.
    private var name: String {
        self.servers.count == 1 ? "\(self.servers[0].endpoint)" : "\(self.servers.count) servers"
    }

    private var body: HTMLText {
        let articles = self.servers.enumerated().map { self.article($0 + 1, $1) }
        let findings = self.servers.flatMap { $0.reasonLines.map(\.finding) }
        let codes = self.servers.flatMap { server in
            server.notes.map(\.code) + server.addressContradictions.map(\.code)
        }
        return """
            <header>
            <h1>\(self.name)</h1>
            <p class="lead">\(self.lead)</p>
            <p class="soft">\(self.basis)</p>
            </header>
            <main>
            \(self.servers.count > 1 ? self.overview : .empty)\(articles)\(HTMLParts.explanations(of: findings, codes))</main>
            \(self.footer)
            """
    }

    private var lead: String {
        guard self.servers.count != 1 else { return self.servers[0].sentence }
        let failed = self.servers.count { $0.verdict == .failed }
        let unknown = self.servers.count { $0.verdict == .unknown }
        guard failed + unknown > 0 else { return "App Transport Security lets apps connect to all of them." }
        let parts = [(failed, "refused by App Transport Security"), (unknown, "not known")].filter { $0.0 > 0 }
        return "Of \(self.servers.count) servers "
            + parts.map { "\($0.0) \($0.0 == 1 ? "is" : "are") \($0.1)" }
            .joined(separator: ", and ") + "."
    }

    /// The date, the system and the program version of the diagnosis.
    private var basis: String {
        guard let server = self.servers.first else { return "" }
        return "Asked at \(ISO8601.text(server.date)), for \(server.diagnosis.configuration.system), by servertrust "
            + "\(ReportTool.version)."
    }

    private var overview: HTMLText {
        let rows = self.servers.enumerated().map { index, server -> [HTMLText] in
            let outcomes = DiagnosisVerdict.Subject.allCases.prefix(3).map { subject -> HTMLText in
                server.verdicts.first { $0.subject == subject }.map { HTMLParts.badge($0.outcome) } ?? "not asked"
            }
            return ["<a href=\"#server-\(index + 1)\">\("\(server.endpoint)")</a>"] + outcomes
        }
        let columns = ["Server"] + DiagnosisVerdict.Subject.allCases.prefix(3).map(\.title)
        return HTMLParts.table("All servers", columns, rows: rows)
    }

    private func article(_ number: Int, _ server: DiagnosedServer) -> HTMLText {
        return """
            <article id="server-\(number)">
            \(self.heading(server))\
            \(self.verdicts(server))\(HTMLParts.section("Notes", self.notes(server)))\(self.addresses(server))\(HTMLParts.section("Why", self.reasons(server)))\
            \(HTMLParts.section("Change at the server", self.advice(server)))\
            \(HTMLParts.section("Second best: an exception in the app's Info.plist", self.exception(server)))\
            \(HTMLParts.section("What the app's Info.plist asks", HTMLParts.definitions(server.appLines)))\
            \(HTMLParts.section("Confirmed by connections", self.confirmations(server)))\
            \(HTMLParts.section("nscurl's tests", self.matrix(server)))\
            \(HTMLParts.section("Facts", HTMLParts.definitions(FactLines.linesBesideGrids(server))))\
            \(HTMLParts.section("Cipher suites", Self.suites(server.facts)))\
            \(HTMLParts.section("Features", Self.features(server.facts.features)))\
            \(ChainLines.chains(of: server).map(self.chain))
            </article>

            """
    }

    private func heading(_ server: DiagnosedServer) -> HTMLText {
        guard self.servers.count > 1 else { return "<h2>Answers</h2>\n" }
        return "<h2>\("\(server.endpoint)")</h2>\n<p class=\"lead\">\(server.sentence)</p>\n"
    }

    private func addresses(_ server: DiagnosedServer) -> HTMLText {
        guard !server.addresses.isEmpty else { return .empty }
        let differences = server.addressContradictions.map { difference -> HTMLText in
            "<li><h4>\(difference.message)</h4><p>\(difference.remedy)</p><p class=\"codes\">\(HTMLParts.codes(difference.code))</p></li>\n"
        }
        let list: HTMLText = differences.isEmpty ? .empty : "<ul class=\"reasons\">\n\(differences)</ul>\n"
        return HTMLParts.section("Addresses", "\(HTMLParts.definitions(server.addressLines))\(list)")
    }

    private func verdicts(_ server: DiagnosedServer) -> HTMLText {
        let items = server.verdictLines.map { line -> HTMLText in
            "<li>\(HTMLParts.badge(line.outcome)) <strong>\(line.title)</strong> <span class=\"soft\">\(line.summary)</span></li>\n"
        }
        return "<ul class=\"verdicts\">\n\(items)</ul>\n"
    }

    private func reasons(_ server: DiagnosedServer) -> HTMLText {
        let items = server.reasonLines.map { HTMLParts.reason($0.finding, subjects: $0.subjects) }
        return items.isEmpty ? .empty : "<ul class=\"reasons\">\n\(items)</ul>\n"
    }

    private func notes(_ server: DiagnosedServer) -> HTMLText {
        let items = server.notes.map { note -> HTMLText in
            "<li><h4>\(note.message)</h4><p>\(note.advice)</p><p class=\"codes\">\(HTMLParts.codes(note.code))</p></li>\n"
        }
        return items.isEmpty ? .empty : "<ul class=\"reasons notes\">\n\(items)</ul>\n"
    }
}

// MARK: - What to change

extension DiagnosisPage {
    private func advice(_ server: DiagnosedServer) -> HTMLText {
        let items = server.advice.map { item -> HTMLText in
            let snippets = self.products.enumerated().map { index, product -> HTMLText in
                let open: HTMLText = index == 0 ? " open" : ""
                return """
                    <details\(open)><summary>\(product.title)</summary>\(HTMLParts.code(item.snippet(for: product)))</details>

                    """
            }
            let reason = server.reason(of: item).map { reason -> HTMLText in "<p>\(reason)</p>" } ?? .empty
            return """
                <li><h4>\(item.title)</h4>\(reason)<p class="scope">Changes \(item.scope)</p>
                \(snippets)</li>

                """
        }
        return items.isEmpty ? .empty : "<ol class=\"advice\">\n\(items)</ol>\n"
    }

    private func exception(_ server: DiagnosedServer) -> HTMLText {
        guard let exception = server.diagnosis.suggestion?.outcome.advisedException else { return .empty }
        let warnings = exception.givesUp.map { sacrifice -> HTMLText in
            let why = sacrifice.needsJustification ? " The App Store asks why." : ""
            return "<li><strong>\(sacrifice.key.rawValue)</strong>: \(sacrifice.warning)\(why)</li>\n"
        }
        let list: HTMLText = warnings.isEmpty ? .empty : "<ul>\n\(warnings)</ul>\n"
        let limit: HTMLText = server.exceptionLimit.map { "<p>\($0)</p>\n" } ?? .empty
        return "\(HTMLParts.code(exception.fragment))<p>\(exception.givesUp.heading)</p>\n\(list)\(limit)"
    }

    private func confirmations(_ server: DiagnosedServer) -> HTMLText {
        let items = (server.confirmations ?? []).map { confirmation -> HTMLText in "<li>\(confirmation.message)</li>\n"
        }
        return items.isEmpty ? .empty : "<ul>\n\(items)</ul>\n"
    }
}

// MARK: - Tests, chains, and the end

extension DiagnosisPage {
    private func matrix(_ server: DiagnosedServer) -> HTMLText {
        let rows = server.diagnosis.rows.map { row -> [HTMLText] in
            let codes = row.verdict.primary.map { Finding($0).codes } ?? ""
            return [
                "\(row.test.number)", HTMLParts.badge(row.outcome), "\(row.test.title)",
                "<span class=\"codes\">\(HTMLParts.codes(codes))</span>",
            ]
        }
        let table = HTMLParts.table(
            "The tests of nscurl --ats-diagnostics", ["No.", "Result", "Test", "Code"], rows: rows)
        return "<p>\(server.conclusion)</p>\n<details><summary>All \(rows.count) tests</summary>\(table)</details>\n"
    }

    private func chain(_ chain: ChainLines) -> HTMLText {
        let certificates = chain.certificates.map { line -> HTMLText in
            let lifetime = line.certificate.map { certificate in
                HTMLParts.lifetime(
                    of: certificate, at: self.servers.first?.date ?? Date(),
                    warningBy: self.servers.first?.expiryThreshold ?? .default)
            }
            return HTMLParts.link(line.name, line.lines, lifetime: lifetime ?? .empty, faults: line.faults)
        }
        return HTMLParts.section(chain.title, "<p>\(chain.verdict)</p>\n<ol class=\"chain\">\n\(certificates)</ol>\n")
    }

    private static func suites(_ facts: ServerFacts) -> HTMLText {
        let rows = facts.cipherSuites.filter(\.isGrid).flatMap { list in
            list.suites.map { suite -> [HTMLText] in
                let isSound = suite.protection != .broken && !suite.isNull && !suite.isAnonymous
                return [
                    "\(suite.description)", "\(list.version.description)",
                    HTMLParts.mark(suite.hasForwardSecrecy, suite.hasForwardSecrecy ? "yes" : "no"),
                    HTMLParts.mark(isSound, isSound ? "yes" : "no"),
                ]
            }
        }
        guard !rows.isEmpty else { return .empty }
        return HTMLParts.table(
            "The cipher suites that the server takes", ["Suite", "Version", "Forward secrecy", "Sound"], rows: rows)
    }

    private static func features(_ features: FeatureFacts) -> HTMLText {
        let rows = FeatureName.allCases.compactMap { name in
            features[keyPath: name.path].map { has -> [HTMLText] in
                [name.title, HTMLParts.mark(has == name.isWanted, has ? "yes" : "no"), "\(has ? name.yes : name.no)"]
            }
        }
        guard !rows.isEmpty else { return .empty }
        let others = FeatureLines.others(features).map { line -> HTMLText in "<li>\(line)</li>\n" }
        let list: HTMLText = others.isEmpty ? .empty : "<ul>\n\(others)</ul>\n"
        return HTMLParts.table("What the server does besides", ["Feature", "Has it", "In words"], rows: rows) + list
    }

    private var footer: HTMLText {
        guard let server = self.servers.first else { return .empty }
        let configuration = server.diagnosis.configuration
        let reading = configuration.strictness == .engine ? "engine" : "documentation"
        return """
            <footer>Judged for \(configuration.system.description), by Apple's \(reading), at \(ISO8601.text(server.date)), by \
            servertrust \(ReportTool.version). \(server.limits)</footer>
            """
    }
}
