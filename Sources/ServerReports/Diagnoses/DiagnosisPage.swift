//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerDiagnosisNIO
import ServerTrust
import ServerTrustNIO

/// The answer of `servertrust diagnose --format html`.
struct DiagnosisPage {
    private let servers: [DiagnosedServer]
    private let products: [ServerProduct]

    init(_ servers: [DiagnosedServer], _ products: [ServerProduct]?) {
        self.servers = servers
        self.products = products ?? ServerProduct.allCases
    }

    /// The document.
    var text: String {
        let names = self.servers.map { "\($0.endpoint)" }
        let title = names.count == 1 ? names[0] : "\(names.count) servers"
        return HTMLPage(title: "\(title): App Transport Security", body: self.body).text
    }

    private var body: HTMLText {
        let articles = self.servers.enumerated().map { self.article($0 + 1, $1) }
        return """
            <header>
            <h1>App Transport Security</h1>
            <p class="soft">What Apple's systems make of \(self.servers.count == 1 ? "a server" : "\(self.servers.count) servers"), \
            why, and what to change.</p>
            </header>
            <main>
            \(self.servers.count > 1 ? self.overview : .empty)\(articles)</main>
            \(self.footer)
            """
    }

    private var overview: HTMLText {
        let rows = self.servers.enumerated().map { index, server -> [HTMLText] in
            let outcomes = DiagnosisVerdict.Subject.allCases.prefix(3).map { subject -> HTMLText in
                server.verdicts.first { $0.subject == subject }.map { HTMLParts.badge($0.outcome) } ?? "not asked"
            }
            return ["<a href=\"#server-\(index + 1)\">\("\(server.endpoint)")</a>"] + outcomes
        }
        let columns = ["Server"] + DiagnosisVerdict.Subject.allCases.prefix(3).map(\.title)
        return HTMLParts.table("All servers", columns, rows)
    }

    private func article(_ number: Int, _ server: DiagnosedServer) -> HTMLText {
        let name = "\(server.endpoint)"
        return """
            <article id="server-\(number)">
            <h2>\(name)</h2>
            \(self.verdicts(server))\(HTMLParts.section("Notes", self.notes(server)))\(self.addresses(server))\(HTMLParts.section("Why", self.reasons(server)))\
            \(HTMLParts.section("Change at the server", self.advice(server)))\
            \(HTMLParts.section("Second best: an exception in the app's Info.plist", self.exception(server)))\
            \(HTMLParts.section("What the app's Info.plist asks", HTMLParts.definitions(server.appLines)))\
            \(HTMLParts.section("Confirmed by connections", self.confirmations(server)))\
            \(HTMLParts.section("nscurl's tests", self.matrix(server)))\
            \(HTMLParts.section("Facts", HTMLParts.definitions(FactLines.lines(server))))\
            \(ChainLines.chains(of: server).map(self.chain))
            </article>

            """
    }

    private func addresses(_ server: DiagnosedServer) -> HTMLText {
        guard !server.addresses.isEmpty else { return .empty }
        let differences = server.addressContradictions.map { difference -> HTMLText in
            "<li><h4>\(difference.message)</h4><p>\(difference.remedy)</p><p class=\"codes\">\(difference.code)</p></li>\n"
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
        let items = server.reasonLines.map { line -> HTMLText in
            let subjects = line.subjects.isEmpty ? "" : line.subjects.joined(separator: ", ") + ": "
            return """
                <li><h4>\(line.finding.message)</h4><p>\(line.finding.remedy)</p>\
                \(HTMLParts.details(line.finding.details))\
                <p class="codes">\(subjects)\(line.finding.codes)</p></li>

                """
        }
        return items.isEmpty ? .empty : "<ul class=\"reasons\">\n\(items)</ul>\n"
    }

    private func notes(_ server: DiagnosedServer) -> HTMLText {
        let items = server.notes.map { note -> HTMLText in
            "<li><h4>\(note.message)</h4><p>\(note.advice)</p><p class=\"codes\">\(note.code)</p></li>\n"
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
        return "\(HTMLParts.code(exception.fragment))<p>\(exception.givesUp.heading)</p>\n\(list)"
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
                "<span class=\"codes\">\(codes)</span>",
            ]
        }
        let table = HTMLParts.table("The tests of nscurl --ats-diagnostics", ["No.", "Result", "Test", "Code"], rows)
        return "<p>\(server.conclusion)</p>\n<details><summary>All \(rows.count) tests</summary>\(table)</details>\n"
    }

    private func chain(_ chain: ChainLines) -> HTMLText {
        let certificates = chain.certificates.map { certificate -> HTMLText in
            "<div class=\"certificate\"><h4>\(certificate.name)</h4>\(HTMLParts.definitions(certificate.lines))</div>\n"
        }
        return HTMLParts.section(chain.title, "<p>\(chain.verdict)</p>\n\(certificates)")
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
