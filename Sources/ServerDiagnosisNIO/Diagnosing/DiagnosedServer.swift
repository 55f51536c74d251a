//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerDiagnosis
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
    /// Whether a chain is trusted only because its issuer was fetched: a request for the page would not get through.
    var needsFetchedIssuer = false
    /// What is to be known besides the answers.
    public var notes: [TrustNote] = []

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
    /// Whether the app gets through; without an app, whether App Transport Security lets an app without exceptions through.
    /// Unknown also where the second answers of the server contradict the first.
    public var verdict: ATSOutcome { self.contradictions.isEmpty ? self.decisive?.outcome ?? .unknown : .unknown }

    /// The answer about the app, or else about an app without exceptions.
    var decisive: DiagnosisVerdict? { self.diagnosis[.plist] ?? self.diagnosis[.ats] }

    /// The answer to each question, the first question first.
    public var verdicts: [DiagnosisVerdict] { self.diagnosis.verdicts }

    /// What speaks against the server, each thing once, and then what is not known where it decides.
    public var reasons: [DiagnosisReason] { self.diagnosis.reasons }

    /// The settings of the server to change, those first that mend most.
    public var advice: [ServerAdvice] { self.diagnosis.advice }

    /// What was found out.
    public var facts: ServerFacts { self.diagnosis.facts }

    /// The tests whose second answer is another than the first.
    public var contradictions: [Confirmation] { (self.confirmations ?? []).filter(\.isContradiction) }
}

// MARK: - Loads

extension DiagnosedServer {
    /// The URL as nscurl would be given it.
    public var fullURL: String { self.url.contains("://") ? self.url : "https://\(self.url)" }

    /// The URL that a page is asked for with: the one given, or the server's first page.
    var requestURL: String {
        guard !self.url.lowercased().hasPrefix("https://") else { return self.url }
        return "https://\(self.endpoint)/"
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
