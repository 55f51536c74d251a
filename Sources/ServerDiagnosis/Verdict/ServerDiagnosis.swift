//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
public import TLSProbe
import TLSWire

/// What Apple's systems make of a server, why, and what to change: a pure function of facts.
///
/// ```swift
/// let diagnosis = ServerDiagnosis(host: "api.example.com", facts: facts, trust: trust)
/// diagnosis[.ats]?.outcome        // .passed, .failed, or .unknown
/// diagnosis.rows                  // the tests of nscurl --ats-diagnostics
/// diagnosis.advice.first?.snippet(for: .nginx)
/// ```
///
/// Missing facts about a server never passes and never fails: a timeout is not "does not speak TLS 1.3".
public struct ServerDiagnosis: Sendable {
    /// The host, as exceptions name it.
    public let host: String
    /// What was found out.
    public let facts: ServerFacts
    /// What each chain is worth, in the order of ``ServerFacts/chains``; `nil` for those that could not be judged.
    public let trust: [TrustResult?]
    /// The release, and whose reading of the rules holds.
    public let configuration: ATSPolicy.Configuration
    /// What App Transport Security looks at of the facts.
    public let transportSecurity: ATSServerFacts
    /// The tests of nscurl.
    public let diagnostics: ATSDiagnostics
    /// The answers, the first question first; without FCP_v2.1 on releases that do not know it, and without an app where
    /// no app is asked about.
    public let verdicts: [DiagnosisVerdict]
    /// Whether a chain could not be judged because only a newer list of logs can tell what its timestamps are worth.
    private let lacksLogs: Bool
    /// The app that is asked about; `nil` without one.
    private let app: AppContext?
    /// Why a load failed in its handshake, where that contradicts the facts.
    private let loadFailure: String?

    /// Diagnoses a server.
    ///
    /// - Parameters:
    ///   - host: The host, as exceptions name it.
    ///   - facts: What was found out.
    ///   - trust: What each of ``ServerFacts/chains`` is worth, in their order, evaluated by
    ///     `ATSRequirements.trustPolicy(hostname:)` for the host; `nil` for those that could not be judged.
    ///   - redirects: Where loads are redirected to, one after the other, without those to the server itself.
    ///   - redirectServers: What is known of the servers among them, with trust that was evaluated for their hosts.
    ///   - redirectFailure: Why the last of them did not answer; `nil` when it did, or was not asked.
    ///   - loadFailure: Why a load failed in its handshake; `nil` when it did not, or nothing was loaded. A server that wants a
    ///     client certificate ends such a load, and that is no contradiction.
    ///   - configuration: The release, and whose reading of the rules holds.
    ///   - lacksLogs: Whether a chain could not be judged because only a newer list of logs of certificate transparency can
    ///     tell what its timestamps are worth.
    ///   - app: An app whose Info.plist is asked about, too.
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
        // A load without exceptions says nothing of a server that needs some.
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

    /// What App Transport Security looks at of the facts, with trust by what the app asks; without an
    /// app, by the rules alone.
    public var appTransportSecurity: ATSServerFacts {
        self.app?.known(self.facts, redirectedAs: self.transportSecurity) ?? self.transportSecurity
    }

    /// The smallest exception, of the app that was asked about if there is one; `nil` where it cannot be told.
    ///
    /// It is looked for each time, as many a combination of keys may have to be tried.
    public var suggestion: ATSSuggestion? {
        let (destination, known) = (ATSDestination(host: self.host), self.transportSecurity)
        let suggestion =
            self.app.map { $0.suggestion(for: destination, self.facts, redirectedAs: known) }
            ?? ATSSuggestion(for: destination, facts: known, configuration: self.configuration)
        return Self.isKnown(suggestion, self.diagnostics) ? suggestion : nil
    }

    /// The tests of nscurl, in its order.
    public var rows: [ATSDiagnostics.Row] { self.diagnostics.rows }

    /// What the tests mean together.
    public var conclusion: ATSConclusion { self.diagnostics.conclusion }

    /// The answer to a question; `nil` when it was not asked.
    public subscript(subject: DiagnosisVerdict.Subject) -> DiagnosisVerdict? {
        self.verdicts.first { $0.subject == subject }
    }

    /// The test of a number, from 1; `nil` without one.
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

    /// What the first chain is worth that a client of the release meets: the newest version's, which is the one most of them
    /// see.
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

    /// An exception is sought only where it is known that one is needed, and its absence is certain only where every test is known to
    /// fail.
    private static func isKnown(_ suggestion: ATSSuggestion, _ diagnostics: ATSDiagnostics) -> Bool {
        if suggestion.verdict.outcome == .unknown { return false }
        guard case .impossible = suggestion.outcome else { return true }
        return !diagnostics.rows.contains { $0.outcome == .unknown }
    }
}

extension ATSDiagnosticTest {
    /// Whether it is the test of NIAP's package.
    public var isFCP: Bool {
        self.dictionary.exceptionDomains.contains { $0.requiresNIAPTLSPackageVersion != nil }
    }
}

extension ServerDiagnosis {
    /// What is not known and decides one of the verdicts or tests; empty when everything that matters is known.
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

    /// Whether chains were seen, and of none of them the key was proven to be held.
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

    /// Whether it is not known of any version whether it is spoken.
    fileprivate var isOpen: Bool { self.handshakes.isEmpty && self.unknownVersions == Self.versions }

    /// Forgets the handshakes that hellos let expect, where a load did not come to one: a load that fails never passes. Where
    /// there are none already, they fail as before.
    fileprivate mutating func leaveHandshakesOpen() {
        guard !self.handshakes.isEmpty else { return }
        self.handshakes = []
        self.openVersions = []
        self.unknownVersions = Self.versions
    }
}

extension ATSViolation {
    /// The fact that is missing; `nil` without one.
    fileprivate var missingFact: Fact? {
        if case .unknown(let fact) = self.reason { return fact }
        return nil
    }
}
