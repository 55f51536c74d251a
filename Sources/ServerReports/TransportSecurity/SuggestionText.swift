//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity

/// The suggested exception for a server, for people.
struct SuggestionText {
    private let style: TextStyle
    private let system: ATSSystem

    init(_ style: TextStyle, for system: ATSSystem) {
        self.style = style
        self.system = system
    }

    func text(of suggested: SuggestedException) -> String {
        let name = self.style.bold(suggested.name)
        let headline = self.style.coloured(suggested.headline, suggested.verdict)
        guard !suggested.isUnknown else { return "\(headline)  \(name)\n" }
        return self.style.wrapped("\(headline)  \(name)\n" + self.findings(suggested)) + self.advice(suggested)
            + self.style.wrapped(self.notes(suggested))
            + (suggested.isDescribed ? "\n  Its chain is taken for trusted: no chain was looked at.\n" : "")
    }

    private func findings(_ suggested: SuggestedException) -> String {
        suggested.findings.map { finding in
            "\n  \(self.style.bold(finding.message))\n  \(finding.remedy)\n  \(self.style.dim("[\(finding.codes)]"))\n"
        }.joined()
    }

    /// Returns the notes about the server. Notes about its chain are not related to exceptions.
    private func notes(_ suggested: SuggestedException) -> String {
        suggested.notes.map { "\n" + $0.text(self.style) }.joined()
    }

    private func advice(_ suggested: SuggestedException) -> String {
        guard suggested.problem == nil else { return "\n  Whether an exception lets it through is not known.\n" }
        let obstacle = suggested.obstacle.map { self.style.wrapped("\n  \($0)\n") } ?? ""
        return switch suggested.suggestion.outcome {
        case .nothing: self.style.wrapped("\n  \(suggested.permission)\n")
        case .impossible: obstacle + "\n  Judged for \(self.system).\n"
        case .exception(let domain, let givesUp), .exceptionAndDelegate(let domain, let givesUp):
            obstacle + self.exception(domain, givesUp)
        }
    }

    private func exception(_ domain: ATSExceptionDomain, _ givesUp: [ATSSuggestion.Risk]) -> String {
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [domain]
        let lines = dictionary.propertyListFragment.split(separator: "\n").map { "    \($0)\n" }
        let warnings = givesUp.map { sacrifice in
            let why = sacrifice.needsJustification ? " The App Store asks why." : ""
            return "    \(sacrifice.key.rawValue): \(sacrifice.warning)\(why)\n"
        }
        return "\n  The smallest exception:\n\n\(lines.joined())\n"
            + self.style.wrapped("  \(givesUp.heading)\n\(warnings.joined())")
    }
}

extension SuggestedException {
    fileprivate var headline: String {
        guard !self.isUnknown else { return ReportVerdict.notEvaluated.headline }
        guard self.problem == nil else { return "IS NOT LET THROUGH" }
        return switch self.suggestion.outcome {
        case .nothing where self.suggestion.needsDictionary: "NEEDS NO OTHER EXCEPTION"
        case .nothing: "NEEDS NO EXCEPTION"
        case .exception: "NEEDS AN EXCEPTION"
        case .exceptionAndDelegate: "NEEDS AN EXCEPTION, AND CODE IN THE APP"
        case .impossible: "NO EXCEPTION HELPS"
        }
    }
}

extension SuggestedException {
    /// The reason why App Transport Security allows the load.
    var permission: String {
        guard self.suggestion.needsDictionary else { return "App Transport Security lets it through as it is." }
        let exception = self.suggestion.verdict.requirements.exception
        let cause = exception.map { "its exception for \(DisplayText.text($0.name))" } ?? "what it says for all hosts"
        return "The Info.plist lets it through, by \(cause). Without that, App Transport Security refuses the server."
    }
}

/// A report on the smallest exceptions for servers, as text or as a document.
package struct SuggestionReport: GradualReport {
    package static let formats: Set<ReportFormat> = [.text, .json, .plist]

    package var servers: [SuggestedException] = []
    /// The Info.plist that ``ReportFormat/plist`` adds the exceptions to, or `nil` for a property list of its own.
    package var propertyList: [UInt8]?
    private let configuration: ATSPolicy.Configuration
    private let client: ATSClient

    /// Creates a report without servers.
    ///
    /// - Parameters:
    ///   - configuration: The system and the strictness of the policy.
    ///   - client: The part of the system that loads.
    package init(_ configuration: ATSPolicy.Configuration, client: ATSClient) {
        self.configuration = configuration
        self.client = client
    }

    package var verdict: ReportVerdict { .worst(of: self.servers.map(\.verdict)) }

    package func part(
        _ server: SuggestedException, as format: ReportFormat, isFirst: Bool, style: TextStyle
    ) -> String {
        format == .text
            ? (isFirst ? "" : "\n") + SuggestionText(style, for: self.configuration.system).text(of: server) : ""
    }

    package func end(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: ""
        case .json: try JSONText.text(SuggestionDocument(self.servers, self.configuration, client: self.client))
        case .plist: try self.mergedPropertyList()
        case .nscurl, .junit, .sarif, .html, .csv: throw UnsupportedFormat(format: format)
        }
    }

    /// The number of exceptions in the property list, in words.
    package var exceptionCount: String {
        let count = Set(self.servers.compactMap { $0.suggestion.outcome.parts.domain?.name }).count
        return count == 1 ? "1 exception" : "\(count) exceptions"
    }

    /// Returns the Info.plist with the exceptions of all servers.
    private func mergedPropertyList() throws -> String {
        var exceptions: [ATSExceptionDomain] = []
        for exception in self.servers.compactMap({ $0.suggestion.outcome.parts.domain }) {
            if let index = exceptions.firstIndex(where: { $0.name == exception.name }) {
                exceptions[index].allow(as: exception)
            } else {
                exceptions.append(exception)
            }
        }
        if let propertyList { return try ATSDictionary.adding(exceptions, to: propertyList) }
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = exceptions
        return dictionary.propertyList
    }
}

/// The suggestions in JSON.
private struct SuggestionDocument: Encodable {
    private let format = "servertrust.ats-suggest/1"
    private let verdict: String
    private let system: String
    private let strictness: String
    private let client: String
    private let servers: [Server]

    init(_ suggested: [SuggestedException], _ configuration: ATSPolicy.Configuration, client: ATSClient) {
        self.verdict = suggested.map(\.verdict).max().map(Self.name) ?? "nothing"
        self.system = "\(configuration.system)"
        self.strictness = configuration.strictness.rawValue
        self.client = client.rawValue
        self.servers = suggested.map(Server.init)
    }

    private static func name(_ verdict: ReportVerdict) -> String {
        switch verdict {
        case .trusted: "nothing"
        case .notTrusted: "needed"
        case .notEvaluated: "not-evaluated"
        }
    }

    private struct Server: Encodable {
        private let server: String
        private let outcome: String
        private let transportSecurity: JSONTransportSecurity
        private let propertyList: String?
        private let givesUp: [Sacrifice]
        private let error: JSONError?

        init(_ suggested: SuggestedException) {
            self.server = DisplayText.text(suggested.server)
            self.transportSecurity = JSONTransportSecurity(
                suggested.suggestion.verdict, host: suggested.host, findings: suggested.findings)
            self.error = suggested.problem.map { JSONError(code: $0.code, message: DisplayText.text($0.message)) }
            let (outcome, domain, givesUp) = suggested.suggestion.outcome.parts
            var dictionary = ATSDictionary()
            dictionary.exceptionDomains = domain.map { [$0] } ?? []
            self.outcome = suggested.problem == nil ? outcome : Self.unknownOutcome(suggested)
            self.propertyList = domain == nil ? nil : dictionary.propertyList
            self.givesUp = givesUp.map(Sacrifice.init)
        }

        /// Returns the name of the outcome if it is not known whether an exception helps.
        private static func unknownOutcome(_ suggested: SuggestedException) -> String {
            suggested.isUnknown ? "not-evaluated" : "not-let-through"
        }
    }

    private struct Sacrifice: Encodable {
        private let code: String
        private let key: String
        private let warning: String
        private let needsJustification: Bool

        init(_ sacrifice: ATSSuggestion.Risk) {
            self.code = sacrifice.rawValue
            self.key = sacrifice.key.rawValue
            self.warning = sacrifice.warning
            self.needsJustification = sacrifice.needsJustification
        }
    }
}

extension ATSSuggestion.Outcome {
    var name: String { self.parts.name }

    /// The name in JSON with the exception and its risks.
    fileprivate var parts: (name: String, domain: ATSExceptionDomain?, givesUp: [ATSSuggestion.Risk]) {
        switch self {
        case .nothing: ("nothing", nil, [])
        case .exception(let domain, let givesUp): ("exception", domain, givesUp)
        case .exceptionAndDelegate(let domain, let givesUp): ("exception-and-delegate", domain, givesUp)
        case .impossible: ("impossible", nil, [])
        }
    }
}
