//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
public import ServerTrustNIO
public import TLSProbe

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A server with its diagnosis: the verdicts, their reasons, and the advice.
///
/// If the name has several addresses, ``addresses`` has a diagnosis of each, and this value is the diagnosis of the worst.
/// ``verdict`` and ``verdicts`` take all addresses into account.
public struct DiagnosedServer: Sendable {
    /// The server as the caller wrote it.
    public let url: String
    /// The server.
    public let endpoint: TLSEndpoint
    /// The diagnosis of the facts: the verdicts, nscurl's tests, the smallest exception, and the advice.
    public let diagnosis: ServerDiagnosis
    /// The date of the probe.
    public let date: Date
    /// The date for which the chains were evaluated, or `nil` for the date of the probe.
    public internal(set) var verifyDate: Date?
    /// The app in question, or `nil` if there is none.
    public var app: ServerDiagnoser.App?
    /// The effect of the app's keys on this server, or `nil` if there is no app.
    public var explanation: ATSExplanation?
    /// The outcomes from the second probe, or `nil` if the server was probed once.
    public var confirmations: [Confirmation]?
    /// The redirects of the server's page, or `nil` if no page was requested.
    public var redirects: RedirectTrace?
    /// The public roots behind the verdicts, or `nil` if they are unknown.
    public var publicTrust: PublicTrustBasis?
    /// The rule by which the end of certificates is announced.
    public internal(set) var expiryThreshold = ExpiryThreshold.default
    /// `true` if CRLs or OCSP responses were supplied in addition to the server's stapled response.
    public internal(set) var usesGivenRevocation = false
    /// Notes that do not affect the verdicts.
    public var notes: [TrustNote] = []
    /// The address of this diagnosis with its port, or `nil` if the name has one address or only one was probed.
    public internal(set) var address: String?
    /// The diagnosis of each address of the name, in the order of RFC 6724. Empty if only one was probed. This value is the worst
    /// of those that accepted a connection.
    public internal(set) var addresses: [DiagnosedServer] = []

    /// Creates a server with its diagnosis.
    ///
    /// - Parameters:
    ///   - url: The server as the caller wrote it.
    ///   - endpoint: The server.
    ///   - diagnosis: The diagnosis of the facts about it.
    ///   - date: The date of the probe.
    public init(url: String, endpoint: TLSEndpoint, diagnosis: ServerDiagnosis, date: Date) {
        self.url = url
        self.endpoint = endpoint
        self.diagnosis = diagnosis
        self.date = date
    }
}

extension DiagnosedServer {
    /// The date at which the ends of certificates are judged.
    package var evaluationDate: Date { self.verifyDate ?? self.date }
}

// MARK: - Verdicts

extension DiagnosedServer {
    /// The verdict for the app in question, or without one for an app without exceptions, at the worst address. It is unknown as
    /// well if the second probe contradicts the first.
    public var verdict: ATSOutcome { self.reached.map(\.ownVerdict).max { $0.rank < $1.rank } ?? .unknown }

    /// The verdict on each question, in the order of the questions. With several addresses each is the worst.
    public var verdicts: [DiagnosisVerdict] {
        self.diagnosis.verdicts.map { own in
            let all = [own] + self.reached.compactMap { $0.diagnosis[own.subject] }
            return all.reduce(own) { $0.outcome.rank < $1.outcome.rank ? $1 : $0 }
        }
    }

    /// The reasons against the server, each once, followed by the missing facts that decide.
    public var reasons: [DiagnosisReason] {
        let all = self.worstFirst.map(\.diagnosis.reasons)
        return all.dropFirst().joined().reduce(into: all.first ?? []) { reasons, other in
            if !reasons.contains(where: { $0.message == other.message }) { reasons.append(other) }
        }
    }

    /// The server's settings to change, in the order of their effect.
    public var advice: [ServerAdvice] {
        let all = self.worstFirst.map(\.diagnosis.advice)
        return all.dropFirst().joined().reduce(into: all.first ?? []) { advice, other in
            if !advice.contains(where: { $0.kind == other.kind }) { advice.append(other) }
        }
    }

    /// The facts about the server, at the address that decides.
    public var facts: ServerFacts { self.diagnosis.facts }

    /// The tests with different outcomes in the two probes.
    public var contradictions: [Confirmation] {
        self.reached.flatMap { ($0.confirmations ?? []).filter(\.isContradiction) }
    }

    /// The differences between the addresses of the name. Empty if there are none or only one address was probed.
    public var addressContradictions: [AddressContradiction] { AddressContradiction.contradictions(of: self.addresses) }

    /// The verdict on the app, or without one on an app without exceptions.
    var decisive: DiagnosisVerdict? { self.diagnosis[.plist] ?? self.diagnosis[.ats] }
}

// MARK: - Addresses

extension DiagnosedServer {
    /// Creates the diagnosis of the worst of the addresses of one name.
    ///
    /// - Parameters:
    ///   - servers: The diagnosis of each address, with the address if there are several. There must be at least one.
    ///   - unasked: The number of further addresses that were not probed.
    package init(worstOf servers: some Sequence<(String?, DiagnosedServer)>, unasked: Int) {
        let all = servers.map { address, server in
            var server = server
            server.address = address
            return server
        }
        // The first of equally bad ones.
        let reached = all.filter(\.facts.wasReached)
        self = (reached.isEmpty ? all : reached).reduce(all[0]) { worst, next in
            !worst.facts.wasReached && next.facts.wasReached || worst.badness.lexicographicallyPrecedes(next.badness)
                ? next : worst
        }
        guard all.count > 1 else { return }
        self.addresses = all
        self.notes = Self.union(all.map(\.notes))
        if unasked > 0 {
            self.notes.append(TrustNote(.addressesNotAsked(asked: all.count, of: all.count + unasked)))
        }
    }

    /// The diagnoses of the addresses that accepted a connection, or this one if there are none.
    package var reached: [DiagnosedServer] {
        let reached = self.addresses.filter(\.facts.wasReached)
        return reached.isEmpty ? [self] : reached
    }

    /// The diagnoses of the reached addresses, this one first.
    private var worstFirst: [DiagnosedServer] { [self] + self.reached.filter { $0.address != self.address } }

    private var ownVerdict: ATSOutcome {
        let isContradicted = (self.confirmations ?? []).contains(where: \.isContradiction)
        return isContradicted ? .unknown : self.decisive?.outcome ?? .unknown
    }

    /// The rank of the deciding verdict, then the numbers of failed and unknown verdicts and of failed tests. Larger is worse.
    private var badness: [Int] {
        let outcomes = self.diagnosis.verdicts.map(\.outcome)
        return [
            self.ownVerdict.rank, outcomes.count { $0 == .failed }, outcomes.count { $0 == .unknown },
            self.diagnosis.rows.count { $0.outcome == .failed },
        ]
    }

    private static func union(_ notes: [[TrustNote]]) -> [TrustNote] {
        notes.joined().reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension ATSOutcome {
    /// The rank of an outcome. A known failure is worse than an unknown outcome.
    fileprivate var rank: Int {
        switch self {
        case .passed: 0
        case .unknown: 1
        case .failed: 2
        }
    }
}

// MARK: - Loads

extension DiagnosedServer {
    /// The URL in the form that nscurl needs.
    public var fullURL: String { self.url.contains("://") ? self.url : "https://\(self.url)" }

    /// The URL of the page to request: the caller's URL, or the server's root.
    var requestURL: String {
        guard !self.url.lowercased().hasPrefix("https://") else { return self.url }
        return "https://\(self.endpoint.host.textInURL):\(self.endpoint.port)/"
    }

    /// Returns the error that ends the load of one of nscurl's tests. If a fact is missing, it is the error of a load that fails
    /// where the probe failed.
    ///
    /// - Parameter row: A test of the diagnosis.
    /// - Returns: The error, or `nil` for a test that passes.
    public func loadError(of row: ATSDiagnostics.Row) -> URLLoadError? {
        guard !row.isPassed else { return nil }
        var violation = row.verdict.primary
        if let doubt = violation, doubt.isDoubt, let failure = self.diagnosis.doubts.compactMap(\.failure).first {
            let verdict = row.verdict.requirements.verdict(on: .failed(failure))
            violation = verdict.primary ?? doubt
        }
        var error = URLLoadError(violation, host: self.endpoint.host.text, url: self.fullURL)
        // A load over plain HTTP fails at the URL to which it was redirected.
        let target = self.diagnosis.transportSecurity.redirects.first { $0.scheme == .http }
        if error.code == .appTransportSecurityRequiresSecureConnection, let target { error.url = target.url }
        return error
    }
}

extension ATSDestination {
    /// The URL of the destination's root. The path is not known.
    fileprivate var url: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        let isUsual = self.port == (self.scheme == .https ? 443 : 80)
        return "\(self.scheme)://\(host)\(isUsual ? "" : ":\(self.port)")/"
    }
}
