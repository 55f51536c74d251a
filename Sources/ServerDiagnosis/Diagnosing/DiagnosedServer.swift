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

/// A server that was asked, and what Apple's systems make of it.
public struct DiagnosedServer: Sendable {
    /// The server as it was named.
    public let url: String
    /// The server.
    public let endpoint: TLSEndpoint
    /// What follows from the facts: the verdicts, nscurl's tests, the smallest exception, and the advice.
    public let diagnosis: ServerDiagnosis
    /// When it was asked.
    public let date: Date
    /// The app that was asked about; `nil` where none was.
    public var app: ServerDiagnoser.App?
    /// What the keys of that app decide about the server.
    public var explanation: ATSExplanation?
    /// What the second answers of the server came to; `nil` where it was asked once.
    public var confirmations: [Confirmation]?
    /// Where loads are redirected to; `nil` where no page was asked for.
    public var redirects: RedirectTrace?
    /// Which public roots the verdicts stand on; `nil` where it is not known.
    public var publicTrust: PublicTrustBasis?
    /// Whether revocation lists or OCSP responses were given beside what the server stapled.
    public internal(set) var usesGivenRevocation = false
    /// Whether a chain is trusted only because its issuer was fetched: a request for the page would not get through.
    /// What is to be known besides the answers.
    public var notes: [TrustNote] = []
    /// The address that all of this is about, with its port; `nil` where the name has one address, or one was asked.
    public internal(set) var address: String?
    /// What each address of the name answered, in the order of RFC 6724; empty where one was asked. This server is the worst of
    /// those that there was a connection to.
    public internal(set) var addresses: [DiagnosedServer] = []

    /// A server and its diagnosis.
    ///
    /// - Parameters:
    ///   - url: The server as it was named.
    ///   - endpoint: The server.
    ///   - diagnosis: What follows from the facts about it.
    ///   - date: When it was asked.
    public init(url: String, endpoint: TLSEndpoint, diagnosis: ServerDiagnosis, date: Date) {
        self.url = url
        self.endpoint = endpoint
        self.diagnosis = diagnosis
        self.date = date
    }
}

// MARK: - Answers

extension DiagnosedServer {
    /// Whether the app gets through; without an app, whether App Transport Security lets an app without exceptions through: at
    /// the worst address. Unknown also where the second answers of the server contradict the first.
    public var verdict: ATSOutcome { self.reached.map(\.ownVerdict).max { $0.rank < $1.rank } ?? .unknown }

    /// The answer to each question, the first question first; of several addresses the worst.
    public var verdicts: [DiagnosisVerdict] {
        self.diagnosis.verdicts.map { own in
            let all = [own] + self.reached.compactMap { $0.diagnosis[own.subject] }
            return all.reduce(own) { $0.outcome.rank < $1.outcome.rank ? $1 : $0 }
        }
    }

    /// What speaks against the server, each thing once, and then what is not known where it decides.
    public var reasons: [DiagnosisReason] {
        let all = self.worstFirst.map(\.diagnosis.reasons)
        return all.dropFirst().joined().reduce(into: all.first ?? []) { reasons, other in
            if !reasons.contains(where: { $0.message == other.message }) { reasons.append(other) }
        }
    }

    /// The settings of the server to change, those first that mend most.
    public var advice: [ServerAdvice] {
        let all = self.worstFirst.map(\.diagnosis.advice)
        return all.dropFirst().joined().reduce(into: all.first ?? []) { advice, other in
            if !advice.contains(where: { $0.kind == other.kind }) { advice.append(other) }
        }
    }

    /// What was found out, at the address that decides.
    public var facts: ServerFacts { self.diagnosis.facts }

    /// The tests whose second answer is another than the first.
    public var contradictions: [Confirmation] {
        self.reached.flatMap { ($0.confirmations ?? []).filter(\.isContradiction) }
    }

    /// In what the addresses of the name differ; empty where they do not, or one was asked.
    public var addressContradictions: [AddressContradiction] { AddressContradiction.contradictions(of: self.addresses) }

    /// The answer about the app, or else about an app without exceptions.
    var decisive: DiagnosisVerdict? { self.diagnosis[.plist] ?? self.diagnosis[.ats] }
}

// MARK: - Addresses

extension DiagnosedServer {
    /// The worst of the addresses of one name.
    ///
    /// - Parameters:
    ///   - servers: What each address answered, with the address where there are several; at least one.
    ///   - unasked: How many addresses the name has besides.
    package init(worstOf servers: some Sequence<(String?, DiagnosedServer)>, unasked: Int) {
        let all = servers.map { address, server in
            var server = server
            server.address = address
            return server
        }
        // Of equals the first.
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

    /// The addresses that there was a connection to, or where there was none, this one.
    package var reached: [DiagnosedServer] {
        let reached = self.addresses.filter(\.facts.wasReached)
        return reached.isEmpty ? [self] : reached
    }

    /// The same, this one first.
    private var worstFirst: [DiagnosedServer] { [self] + self.reached.filter { $0.address != self.address } }

    private var ownVerdict: ATSOutcome {
        let isContradicted = (self.confirmations ?? []).contains(where: \.isContradiction)
        return isContradicted ? .unknown : self.decisive?.outcome ?? .unknown
    }

    /// How bad it is: the answer that decides first, then how many fail, and how many are not known.
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
    /// What is known to fail is worse than what is not known.
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
    /// The URL as nscurl would be given it.
    public var fullURL: String { self.url.contains("://") ? self.url : "https://\(self.url)" }

    /// The URL that a page is asked for with: the one given, or the server's first page.
    var requestURL: String {
        guard !self.url.lowercased().hasPrefix("https://") else { return self.url }
        return "https://\(self.endpoint.host.textInURL):\(self.endpoint.port)/"
    }

    /// The error that the load of one of nscurl's tests ends with. Where a fact is missing it is that of a load that got no
    /// further than the question did.
    ///
    /// - Parameter row: A test of the diagnosis.
    /// - Returns: The error; `nil` for a test that passes.
    public func loadError(of row: ATSDiagnostics.Row) -> URLLoadError? {
        guard !row.isPassed else { return nil }
        var violation = row.verdict.primary
        if let doubt = violation, doubt.isDoubt, let failure = self.diagnosis.doubts.compactMap(\.failure).first {
            let verdict = row.verdict.requirements.verdict(on: .failed(ATSConnectionFailure(failure)))
            violation = verdict.primary ?? doubt
        }
        var error = URLLoadError(violation, host: self.endpoint.host.text, url: self.fullURL)
        // A load over plain HTTP fails at the URL that it was redirected to.
        let target = self.diagnosis.transportSecurity.redirects.first { $0.scheme == .http }
        if error.code == .appTransportSecurityRequiresSecureConnection, let target { error.url = target.url }
        return error
    }
}

extension ATSDestination {
    /// As much of its URL as is known.
    fileprivate var url: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        let isUsual = self.port == (self.scheme == .https ? 443 : 80)
        return "\(self.scheme)://\(host)\(isUsual ? "" : ":\(self.port)")/"
    }
}
