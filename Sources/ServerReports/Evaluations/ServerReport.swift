//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import ServerTrust
package import ServerTrustNIO

/// What is known of one server after it was looked at.
package struct ServerReport: Sendable {
    /// How far the look got.
    package enum Outcome: Sendable {
        /// The server presented certificates, and they were judged.
        case judged(JudgedServer)
        /// There was nothing to judge.
        case failed(ServerFailure)
        /// There was nothing to judge, and App Transport Security refuses the server for what it answers.
        case refused(ATSJudgement, ServerFailure)
    }

    let endpoint: TLSEndpoint
    package let outcome: Outcome
    /// The file that received what the server sent, if one was wanted and anything was sent.
    package var savedTo: String?

    package init(endpoint: TLSEndpoint, outcome: Outcome, savedTo: String? = nil) {
        self.endpoint = endpoint
        self.outcome = outcome
        self.savedTo = savedTo
    }

    /// What the chain was judged to be; `nil` where there was no chain to judge.
    package var judgement: Judgement? {
        guard case .judged(let server) = self.outcome else { return nil }
        return server.judgement
    }

    /// What is to be made of the server.
    package var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let server): server.verdict
        case .failed: .notEvaluated
        case .refused: .notTrusted
        }
    }
}

/// A server whose chain was judged.
package struct JudgedServer: Sendable {
    package let chain: PresentedChain
    package let judgement: Judgement
    /// What speaks against the connection, whatever the chain is.
    package var problems: [ConnectionProblem]
    /// The certificates that were sent and could not be read; the path does without them.
    let unreadable: [UnreadableCertificate]
    /// What App Transport Security makes of it, where that was asked.
    package var transportSecurity: ATSJudgement?

    package init(
        chain: PresentedChain, judgement: Judgement, problems: [ConnectionProblem], unreadable: [UnreadableCertificate],
        transportSecurity: ATSJudgement? = nil
    ) {
        self.chain = chain
        self.judgement = judgement
        self.problems = problems
        self.unreadable = unreadable
        self.transportSecurity = transportSecurity
    }

    /// Trusted means all: the chain, the connection it came over, and App Transport Security.
    package var verdict: ReportVerdict {
        guard self.problems.isEmpty, self.judgement.verdict != .notTrusted else { return .notTrusted }
        let transport = self.transportSecurity.map { ReportVerdict($0.verdict.outcome) }
        return transport == .notTrusted ? .notTrusted : max(self.judgement.verdict, transport ?? .trusted)
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
