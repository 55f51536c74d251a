//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
public import TLSProbe
import TLSWire

/// The diagnosis of a server: the verdicts of Apple's systems, the reasons, and the changes to make. It is a pure function of
/// facts.
///
/// ```swift
/// let diagnosis = ServerDiagnosis(host: "api.example.com", facts: facts, trust: trust)
/// diagnosis[.ats]?.outcome        // .passed, .failed, or .unknown
/// diagnosis.rows                  // the tests of nscurl --ats-diagnostics
/// diagnosis.advice.first?.snippet(for: .nginx)
/// ```
///
/// A missing fact neither passes nor fails a test: a timeout does not mean "does not speak TLS 1.3".
public struct ServerDiagnosis: Sendable {
    /// The host, in the form of the keys of exceptions.
    public let host: String
    /// The facts about the server.
    public let facts: ServerFacts
    /// The evaluation of each chain, in the order of `ServerFacts.chains`, with `nil` for a chain that could not be judged.
    public let trust: [TrustResult?]
    /// The release of Apple's systems, and the reading of the rules.
    public let configuration: ATSPolicy.Configuration
    /// The facts that App Transport Security depends on.
    public let transportSecurity: ATSServerFacts
    /// The tests of nscurl.
    public let diagnostics: ATSDiagnostics
    /// The verdicts, in the order of the questions. FCP_v2.1 is missing on releases that do not know it, and the app if there is
    /// none.
    public let verdicts: [DiagnosisVerdict]
    /// `true` if a chain could not be judged because only a newer list of logs can determine that its SCTs suffice.
    private let lacksLogs: Bool
    private let app: AppContext?
    /// The reason of a load that failed in its handshake against the facts.
    private let loadFailure: String?

    /// Diagnoses a server.
    ///
    /// - Parameters:
    ///   - host: The host, in the form of the keys of exceptions.
    ///   - facts: The facts about the server.
    ///   - trust: The evaluation of each of `ServerFacts.chains`, in their order, by `ATSRequirements.trustPolicy(hostname:)` for
    ///     the host, with `nil` for a chain that could not be judged.
    ///   - redirects: The targets of redirects in their order, without those on the server itself.
    ///   - redirectServers: The facts about these targets, with trust evaluated for their hosts.
    ///   - redirectFailure: The reason that the last target did not answer, or `nil` if it did or was not requested.
    ///   - loadFailure: The reason that a load failed in its handshake, or `nil` if it did not or there was no load. A server that
    ///     requires a client certificate ends such a load, and that is no contradiction.
    ///   - configuration: The release of Apple's systems, and the reading of the rules.
    ///   - lacksLogs: `true` if a chain could not be judged because only a newer list of logs can determine that its SCTs suffice.
    ///   - app: An app to give a verdict on as well.
    public init(
        host: String, facts: ServerFacts, trust: [TrustResult?], redirects: [ATSDestination] = [],
        redirectServers: [ATSDestination: ATSServerFacts] = [:], redirectFailure: String? = nil,
        loadFailure: String? = nil, configuration: ATSPolicy.Configuration = ATSPolicy.Configuration(),
        lacksLogs: Bool = false,
        app: AppContext? = nil
    ) {
        let destination = ATSDestination(host: host)
        var known = ATSServerFacts(
            facts, trust: trust, strictness: configuration.strictness, system: configuration.system)
        known.redirects = redirects
        known.redirectServers = redirectServers
        known.redirectFailure = redirectFailure
        let trusted = known
        // A load without exceptions says nothing about a server that needs some.
        let isContradicted =
            loadFailure != nil && facts.features.clientCertificate == nil
            && ATSDiagnostics(host: host, facts: known, configuration: configuration).rows.first?.isPassed == true
        if isContradicted { known.leaveHandshakesOpen() }
        self.loadFailure = isContradicted ? loadFailure : nil
        self.host = destination.host
        self.facts = facts
        self.trust = trust
        self.configuration = configuration
        self.transportSecurity = known
        self.diagnostics = ATSDiagnostics(host: host, facts: known, configuration: configuration)
        self.verdicts = Self.verdicts(
            self.diagnostics, known, trusted, app: app, destination: destination, facts: facts,
            system: configuration.system)
        self.lacksLogs = lacksLogs
        self.app = app
    }

    /// The facts that App Transport Security depends on, with trust evaluated under the app's policy or, without an app, by the
    /// default rules.
    public var appTransportSecurity: ATSServerFacts {
        self.app?.known(self.facts, redirectedAs: self.transportSecurity) ?? self.transportSecurity
    }

    /// The smallest exception, based on the app's own if there is an app, or `nil` if it cannot be determined.
    ///
    /// It is computed on each access, because many combinations of keys may have to be tried.
    public var suggestion: ATSSuggestion? {
        let (destination, known) = (ATSDestination(host: self.host), self.transportSecurity)
        let suggestion =
            self.app.map { $0.suggestion(for: destination, self.facts, redirectedAs: known) }
            ?? ATSSuggestion(for: destination, facts: known, configuration: self.configuration)
        return Self.isKnown(suggestion, self.diagnostics) ? suggestion : nil
    }

    /// The tests of nscurl, in its order.
    public var rows: [ATSDiagnostics.Row] { self.diagnostics.rows }

    /// The conclusion from all tests.
    public var conclusion: ATSConclusion { self.diagnostics.conclusion }

    /// The verdict on a question, or `nil` if it is not answered.
    public subscript(subject: DiagnosisVerdict.Subject) -> DiagnosisVerdict? {
        self.verdicts.first { $0.subject == subject }
    }

    /// Returns the test with a number, counted from 1, or `nil` if there is none.
    public func row(_ number: Int) -> ATSDiagnostics.Row? { self.rows.first { $0.test.number == number } }
}

extension ServerDiagnosis {
    private static func verdicts(
        _ diagnostics: ATSDiagnostics, _ known: ATSServerFacts, _ trusted: ATSServerFacts, app: AppContext?,
        destination: ATSDestination, facts: ServerFacts, system: ATSSystem
    ) -> [DiagnosisVerdict] {
        var verdicts = diagnostics.rows.prefix(1).map { DiagnosisVerdict(subject: .ats, verdict: $0.verdict) }
        if let row = diagnostics.rows.first(where: { $0.test.isFCP }) {
            verdicts.append(DiagnosisVerdict(subject: .fcp, verdict: row.verdict))
        }
        verdicts.append(DiagnosisVerdict(subject: .trust, verdict: Self.plainTrust(trusted, on: system)))
        if let app {
            var own = app.known(facts, redirectedAs: known)
            if known.isOpen { own.leaveHandshakesOpen() }
            let verdict = app.policy.verdict(on: own, at: destination, client: app.client)
            verdicts.append(DiagnosisVerdict(subject: .plist, verdict: verdict))
        }
        return verdicts
    }

    /// Returns the trust in the first chain that a client of the release meets. It belongs to the newest version, which most
    /// clients negotiate.
    private static func plainTrust(_ known: ATSServerFacts, on system: ATSSystem) -> ATSVerdict {
        var requirements = ATSRequirements()
        (requirements.systemMinimumVersion, requirements.systemMaximumVersion) = (
            system.minimumTLSVersion, system.maximumTLSVersion
        )
        let handshakes = known.handshakes.filter {
            (requirements.systemMinimumVersion...requirements.systemMaximumVersion).contains($0.version)
        }
        guard let handshake = handshakes.first(where: { $0.trust != nil }) ?? handshakes.first else {
            return requirements.verdict(on: known.connection(offering: requirements))
        }
        return requirements.verdict(
            on: ATSConnection(
                version: handshake.version, cipherSuite: requirements.cipherSuites.first, trust: handshake.trust))
    }

    /// Returns `true` if the suggestion is certain. An exception is certain only if one is known to be needed. Its absence is
    /// certain only if every test is known to fail.
    private static func isKnown(_ suggestion: ATSSuggestion, _ diagnostics: ATSDiagnostics) -> Bool {
        if suggestion.verdict.outcome == .unknown { return false }
        guard case .impossible = suggestion.outcome else { return true }
        return !diagnostics.rows.contains { $0.outcome == .unknown }
    }
}

extension ATSDiagnosticTest {
    /// `true` for the test of NIAP's package.
    public var isFCP: Bool {
        self.dictionary.exceptionDomains.contains { $0.requiresNIAPTLSPackageVersion != nil }
    }
}

extension ServerDiagnosis {
    /// The missing facts that decide a verdict or a test. Empty if all such facts are known.
    public var doubts: [MissingFact] {
        let all = (self.verdicts.map(\.verdict) + self.rows.map(\.verdict)).flatMap(\.violations).filter(\.isDoubt)
        let open = all.filter { $0.redirect == nil }
        guard let any = all.first else { return [] }
        guard !open.isEmpty else { return [.redirect(self.transportSecurity.redirectFailure ?? any.message)] }
        if !self.facts.speaksTLS, let failure = self.facts.failure { return [.server(failure)] }
        if let loadFailure { return [.load(loadFailure)] }
        if let failure = self.facts.largeHelloFailure, self.isHelloUnclear { return [.largeHello(failure)] }
        let missing = Set(open.compactMap(\.missingFact))
        var doubts: [MissingFact] = []
        if missing.contains(.version) { doubts += self.unknownVersions }
        if missing.contains(.cipherSuite) {
            doubts += self.openVersions
            if self.transportSecurity.isFCPUnclear, doubts.isEmpty { doubts.append(.fcp) }
        }
        if missing.contains(.extendedMasterSecret) { doubts.append(.extendedMasterSecret) }
        if let failure = self.transportSecurity.redirectFailure, missing.contains(.redirect) {
            doubts.append(.redirect(failure))
        }
        if missing.contains(.trust), doubts.isEmpty {
            doubts.append(self.isUnproven ? .keyProof : self.lacksLogs ? .transparency : .chain(self.chainFailure))
        }
        return doubts
    }

    private var isHelloUnclear: Bool {
        let (strictness, system) = (self.configuration.strictness, self.configuration.system)
        return HelloTolerance(self.facts, strictness: strictness, system: system).isUnclear
    }

    private var unknownVersions: [MissingFact] {
        self.transportSecurity.unknownVersions.sorted(by: >).map { version in
            guard case .unknown(let failure) = self.facts.support(of: version) else { return .version(version, nil) }
            return .version(version, failure)
        }
    }

    private var openVersions: [MissingFact] {
        self.transportSecurity.openVersions.sorted(by: >).map { version in
            .cipherSuites(version, self.facts.cipherSuites(of: version)?.failure ?? self.facts.failure)
        }
    }

    /// `true` if the server presented chains and has proven possession of the key of none.
    private var isUnproven: Bool {
        !self.facts.chains.isEmpty && !self.facts.chains.contains { self.facts.holdsKey(of: $0) }
    }

    private var chainFailure: ConnectionFailure? {
        for case .chainUnknown(let failure) in self.facts.anomalies { return failure }
        return nil
    }
}

extension ATSServerFacts {
    private static let versions: Set<TLSProtocolVersion> = [.tls13, .tls12, .tls11, .tls10]

    /// `true` if the support for every version is unknown.
    fileprivate var isOpen: Bool { self.handshakes.isEmpty && self.unknownVersions == Self.versions }

    /// Discards the expected handshakes after a load failed against them, because a load that fails must never pass. If there are
    /// none, the verdict stays a failure.
    fileprivate mutating func leaveHandshakesOpen() {
        guard !self.handshakes.isEmpty else { return }
        self.handshakes = []
        self.openVersions = []
        self.unknownVersions = Self.versions
    }
}

extension ATSViolation {
    fileprivate var missingFact: Fact? {
        if case .unknown(let fact) = self.reason { return fact }
        return nil
    }
}
