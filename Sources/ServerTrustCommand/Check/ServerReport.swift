//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustNIO

/// What is known of one server after it was looked at.
struct ServerReport: Sendable {
    /// How far the look got.
    enum Outcome: Sendable {
        /// The server presented certificates, and they were judged.
        case judged(JudgedServer)
        /// There was nothing to judge.
        case failed(ServerFailure)
        /// There was nothing to judge, and App Transport Security refuses the server for what it answers.
        case refused(ATSJudgement, ServerFailure)
    }

    let endpoint: TLSEndpoint
    let outcome: Outcome
    /// The file that received what the server sent, if one was wanted and anything was sent.
    var savedTo: String?

    /// What is to be made of the server.
    var verdict: CommandVerdict {
        switch self.outcome {
        case .judged(let server): server.verdict
        case .failed: .notEvaluated
        case .refused: .notTrusted
        }
    }
}

/// A server whose chain was judged.
struct JudgedServer: Sendable {
    let chain: PresentedChain
    let judgement: Judgement
    /// What speaks against the connection, whatever the chain is.
    var problems: [ConnectionProblem]
    /// The certificates that were sent and could not be read; the path does without them.
    let unreadable: [UnreadableCertificate]
    /// What App Transport Security makes of it, where that was asked.
    var transportSecurity: ATSJudgement?

    /// Trusted means all: the chain, the connection it came over, and App Transport Security.
    var verdict: CommandVerdict {
        guard self.problems.isEmpty, self.judgement.verdict != .notTrusted else { return .notTrusted }
        let transport = self.transportSecurity.map { CommandVerdict($0.verdict.outcome) }
        return transport == .notTrusted ? .notTrusted : max(self.judgement.verdict, transport ?? .trusted)
    }
}

/// Bytes among the certificates of a server that are no certificate.
struct UnreadableCertificate: Sendable {
    /// The place among what the server sent, from 0 for the server's own.
    let position: Int
    let error: CertificateError
}

/// Why a server could not be judged.
struct ServerFailure: Sendable {
    /// A short, stable name for programs.
    let code: String
    /// What happened and what to do, in one line.
    let message: String
}

extension ServerFailure {
    /// A failure to get certificates.
    init(_ error: any Error, _ endpoint: TLSEndpoint) {
        if let error = error as? TLSConnectionError {
            self.init(code: "\(error.code)", message: "\(error)")
        } else {
            self.init(code: "connectionFailed", message: "\(endpoint): connecting failed (\(error)); try again")
        }
    }

    /// A failure to read the certificate everything is about.
    init(malformedLeaf error: CertificateError, _ endpoint: TLSEndpoint) {
        self.init(code: "malformedCertificate", message: "\(endpoint): the server's certificate is \(error)")
    }
}
