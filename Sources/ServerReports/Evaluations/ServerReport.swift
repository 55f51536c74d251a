//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import ServerDiagnosis
package import ServerTrust
package import ServerTrustNIO
import TLSWire

/// What is known of one server after it was looked at.
package struct ServerReport: Sendable {
    /// How far the look got.
    package enum Outcome: Sendable {
        /// The server presented certificates, and they were judged.
        case judged(JudgedServer)
        /// There was nothing to judge.
        case failed(ServerFailure)
        /// There was nothing to judge, and App Transport Security refuses the server for what it answers.
        case refused(ATSJudgment, ServerFailure)
    }

    let endpoint: TLSEndpoint
    package let outcome: Outcome
    /// The file that received what the server sent, if one was wanted and anything was sent.
    package var savedTo: String?
    /// What each address of the name came to; empty where one was asked. The outcome is that of the worst.
    package var addresses: [CheckedAddress] = []
    /// In what those differ.
    package var addressContradictions: [AddressContradiction] = []
    /// How many addresses the name has besides.
    package var unaskedAddresses = 0

    package init(endpoint: TLSEndpoint, outcome: Outcome, savedTo: String? = nil) {
        self.endpoint = endpoint
        self.outcome = outcome
        self.savedTo = savedTo
    }

    /// What the chain was judged to be; `nil` where there was no chain to judge.
    package var judgment: Judgment? {
        guard case .judged(let server) = self.outcome else { return nil }
        return server.judgment
    }

    /// What is to be made of the server.
    package var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let server): server.verdict
        case .failed(let failure): failure.verdict
        case .refused: .notTrusted
        }
    }
}

/// A server whose chain was judged.
package struct JudgedServer: Sendable {
    package let chain: PresentedChain
    package var judgment: Judgment
    /// What speaks against the connection, whatever the chain is.
    package var problems: [ConnectionProblem]
    /// The certificates that were sent and could not be read; the path does without them.
    let unreadable: [UnreadableCertificate]
    /// What App Transport Security makes of it, where that was asked.
    package var transportSecurity: ATSJudgment?

    package init(
        chain: PresentedChain, judgment: Judgment, problems: [ConnectionProblem], unreadable: [UnreadableCertificate],
        transportSecurity: ATSJudgment? = nil
    ) {
        self.chain = chain
        self.judgment = judgment
        self.problems = problems
        self.unreadable = unreadable
        self.transportSecurity = transportSecurity
    }

    /// Trusted means all: the chain, the connection it came over, and App Transport Security.
    package var verdict: ReportVerdict {
        guard self.problems.isEmpty, self.judgment.verdict != .notTrusted else { return .notTrusted }
        let transport = self.transportSecurity.map { ReportVerdict($0.verdict.outcome) }
        return transport == .notTrusted ? .notTrusted : max(self.judgment.verdict, transport ?? .trusted)
    }
}

extension JudgedServer {
    /// A note where nothing speaks against the connection and no app makes one like it; `nil` otherwise.
    package var suiteNote: TrustNote? {
        guard self.problems.isEmpty, let suite = self.chain.cipherSuite,
            !ATSCipherSuiteGroup.ats.suites(.engine).contains(suite)
        else { return nil }
        return TrustNote(.suiteNotOffered("\(suite)"))
    }
}

/// Bytes among the certificates of a server that are no certificate.
package struct UnreadableCertificate: Sendable {
    /// The place among what the server sent, from 0 for the server's own.
    package let position: Int
    package let error: CertificateError

    package init(position: Int, error: CertificateError) {
        self.position = position
        self.error = error
    }
}

/// What one address of a name came to.
package struct CheckedAddress: Sendable {
    let address: String
    let report: ServerReport

    package init(_ address: String, _ report: ServerReport) {
        self.address = address
        self.report = report
    }
}

extension ServerReport {
    /// The worst of the addresses of one name. Those without a connection decide nothing while others have one (RFC 8305 §5).
    ///
    /// - Parameters:
    ///   - reports: What each address came to, with the address where there are several; at least one.
    package init(worstOf reports: [(address: String?, report: ServerReport)]) {
        let reached = reports.map(\.report).filter(\.wasReached)
        let candidates = reached.isEmpty ? reports.map(\.report) : reached
        // What is known to speak against one is worse than what is not known of another.
        self =
            candidates.first { $0.verdict == .notTrusted } ?? candidates.first { $0.verdict == .notEvaluated }
            ?? candidates[0]
        let addresses = reports.compactMap { address, report in address.map { CheckedAddress($0, report) } }
        guard addresses.count > 1 else { return }
        self.addresses = addresses
        self.addressContradictions = [
            Self.difference(.verdict, "their verdict", addresses.filter(\.report.wasReached)) { $0.verdict.headline },
            Self.difference(.certificate, "their certificate", addresses) { $0.leafFingerprint },
            Self.difference(.versions, "the version of TLS", addresses) {
                $0.judged?.chain.protocolVersion?.description
            },
            Self.difference(.connection, "whether there is a connection", addresses) { $0.connectionText },
        ].compactMap(\.self)
    }

    private static func difference(
        _ kind: AddressContradiction.Kind, _ subject: String, _ addresses: [CheckedAddress],
        by value: (ServerReport) -> String?
    ) -> AddressContradiction? {
        AddressContradiction(
            kind, in: subject,
            addresses.compactMap { place in value(place.report).map { (address: place.address, value: $0) } })
    }

    /// The same with another outcome.
    package func with(_ outcome: Outcome) -> ServerReport {
        var report = ServerReport(endpoint: self.endpoint, outcome: outcome, savedTo: self.savedTo)
        (report.addresses, report.unaskedAddresses) = (self.addresses, self.unaskedAddresses)
        report.addressContradictions = self.addressContradictions
        return report
    }

    /// The verdict, with the reason where nothing was judged.
    var summaryLine: String {
        self.failure.map { "\(self.verdict.headline), \($0.reason)" } ?? self.verdict.headline
    }

    /// Whether there was no connection at any address.
    package var isWithoutConnection: Bool { !self.wasReached }

    private var judged: JudgedServer? {
        if case .judged(let server) = self.outcome { server } else { nil }
    }

    var failure: ServerFailure? {
        if case .failed(let failure) = self.outcome { failure } else { nil }
    }

    private var wasReached: Bool { self.failure?.isWithoutConnection != true }

    private var leafFingerprint: String? {
        self.judged?.chain.certificates.first.flatMap { try? Certificate(der: $0) }
            .map { JSONText.hexadecimal($0.sha256Fingerprint) }
    }

    private var connectionText: String { self.wasReached ? AddressContradiction.connected : "none" }
}
