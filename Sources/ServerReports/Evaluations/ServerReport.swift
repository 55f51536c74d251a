//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import ServerDiagnosis
package import ServerTrust
package import ServerTrustNIO
package import TLSWire

/// The result of the evaluation of one server.
package struct ServerReport: Sendable {
    /// The outcome of the evaluation.
    package enum Outcome: Sendable {
        /// The server presented certificates, and they were evaluated.
        case judged(JudgedServer)
        /// The server presented nothing that could be evaluated.
        case failed(ServerFailure)
        /// The server presented nothing that could be evaluated, and App Transport Security refuses its answer.
        case refused(ATSJudgment, ServerFailure)
    }

    let endpoint: TLSEndpoint
    package let outcome: Outcome
    /// The file with the saved certificates of the server, or `nil` if none was saved.
    package var savedTo: String?
    /// The result of each address of the name, or empty if only one was tested. The outcome is that of the worst address.
    package var addresses: [CheckedAddress] = []
    /// The differences between the addresses.
    package var addressContradictions: [AddressContradiction] = []
    /// The number of addresses that were not tested.
    package var unaskedAddresses = 0

    package init(endpoint: TLSEndpoint, outcome: Outcome, savedTo: String? = nil) {
        self.endpoint = endpoint
        self.outcome = outcome
        self.savedTo = savedTo
    }

    /// The evaluation of the chain, or `nil` if there was no chain.
    package var judgment: Judgment? {
        guard case .judged(let server) = self.outcome else { return nil }
        return server.judgment
    }

    package var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let server): server.verdict
        case .failed(let failure): failure.verdict
        case .refused: .notTrusted
        }
    }
}

/// A server with an evaluated chain.
package struct JudgedServer: Sendable {
    package let chain: PresentedChain
    package var judgment: Judgment
    /// The faults of the connection, independent of the chain.
    package var problems: [ConnectionProblem]
    /// The unreadable certificates, which are not used for the path.
    let unreadable: [UnreadableCertificate]
    /// The verdict of App Transport Security, or `nil` if it was not requested.
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

    /// The combined verdict about the chain, the connection and App Transport Security. All of them must be positive.
    package var verdict: ReportVerdict {
        guard self.problems.isEmpty, self.judgment.verdict != .notTrusted else { return .notTrusted }
        let transport = self.transportSecurity.map { ReportVerdict($0.verdict.outcome) }
        return transport == .notTrusted ? .notTrusted : max(self.judgment.verdict, transport ?? .trusted)
    }
}

extension JudgedServer {
    /// A note for a flawless connection that no app would negotiate, or `nil` if an app would.
    package var suiteNote: TrustNote? {
        self.problems.isEmpty ? TrustNote(onSuite: self.chain.cipherSuite) : nil
    }
}

extension TrustNote {
    /// Creates the note on the cipher suite of a connection, or returns `nil` if App Transport Security offers it.
    package init?(onSuite suite: CipherSuite?) {
        guard let suite, !ATSCipherSuiteGroup.ats.suites(.engine).contains(suite) else { return nil }
        self.init(.suiteNotOffered("\(suite)"))
    }
}

/// An entry among the certificates of a server that is not a certificate.
package struct UnreadableCertificate: Sendable {
    /// The index among the sent certificates. The server's own certificate has the index 0.
    package let position: Int
    package let error: CertificateError

    package init(position: Int, error: CertificateError) {
        self.position = position
        self.error = error
    }
}

/// The result of one address of a name.
package struct CheckedAddress: Sendable {
    let address: String
    let report: ServerReport

    package init(_ address: String, _ report: ServerReport) {
        self.address = address
        self.report = report
    }
}

extension ServerReport {
    /// Creates the report of the worst address of a name. Addresses without a connection do not count while others have one (RFC
    /// 8305 §5).
    ///
    /// - Parameters:
    ///   - reports: The report of each address, with the address if there are several. At least one report is required.
    package init(worstOf reports: [(address: String?, report: ServerReport)]) {
        let reached = reports.map(\.report).filter(\.wasReached)
        let candidates = reached.isEmpty ? reports.map(\.report) : reached
        // A known fault of one address is worse than an unknown answer of another.
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

    package func with(_ outcome: Outcome) -> ServerReport {
        var report = ServerReport(endpoint: self.endpoint, outcome: outcome, savedTo: self.savedTo)
        (report.addresses, report.unaskedAddresses) = (self.addresses, self.unaskedAddresses)
        report.addressContradictions = self.addressContradictions
        return report
    }

    /// The verdict, with the reason if there was no evaluation.
    var summaryLine: String {
        self.failure.map { "\(self.verdict.headline), \($0.reason)" } ?? self.verdict.headline
    }

    /// `true` if there was no connection to any address.
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
