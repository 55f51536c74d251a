//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerDiagnosis
package import ServerTrust
package import ServerTrustNIO
import TLSProbe
package import TLSWire

/// Why a server could not be judged.
package struct ServerFailure: Sendable {
    /// A short, stable name for programs.
    let code: String
    /// What happened and what to do, in one line.
    package let message: String
    /// What it means for the server: where something else than TLS answers, no client connects.
    package let verdict: ReportVerdict
    /// Whether there was no connection, so that clients go on to another address of the name.
    package let isWithoutConnection: Bool
    /// What happened, without the server's name and without what to do.
    let reason: String
    /// Whether the server ended the handshake with an alert, or sent what is no handshake: a diagnosis may know why Apple's systems
    /// do not connect.
    package private(set) var isRefusal = false
    /// The reasons against the server.
    package private(set) var findings: [Finding] = []
    /// True if a diagnosis says why Apple's systems do not connect.
    package private(set) var isExplained = false

    /// A failure.
    init(
        code: String, message: String, reason: String? = nil, verdict: ReportVerdict = .notEvaluated,
        isWithoutConnection: Bool = false
    ) {
        self.code = code
        self.message = message
        self.reason = reason ?? message
        self.verdict = verdict
        self.isWithoutConnection = isWithoutConnection
    }
}

extension ServerFailure {
    /// A failure to get certificates.
    package init(_ error: any Error, _ endpoint: TLSEndpoint) {
        if let failure = (error as? ConnectionFailure) ?? (error as? TLSConnectionError)?.plainFailure {
            self.init(failure, endpoint)
        } else if let error = error as? TLSConnectionError {
            // No client reads what is more than TLS libraries read: the server is at fault.
            let verdict = error.code == .limitExceeded ? ReportVerdict.notTrusted : .notEvaluated
            self.init(code: error.code.hyphenated, message: "\(error)", verdict: verdict)
            self.isRefusal = error.alert != nil || error.code == .handshakeFailed
        } else {
            self.init(code: "connection-failed", message: "\(endpoint): connecting failed (\(error)). Try again")
        }
    }

    /// A question without a clear answer, in the words of every command.
    package init(_ failure: ConnectionFailure, _ endpoint: TLSEndpoint) {
        self.init(
            code: failure.code, message: "\(endpoint): \(failure.message) \(failure.remedy)",
            reason: failure.message, verdict: failure.isOfOtherProtocol ? .notTrusted : .notEvaluated,
            isWithoutConnection: failure.isWithoutConnection)
        self.findings = [Finding(failure)]
        switch failure {
        case .alert, .malformed, .violation, .handshake: self.isRefusal = true
        default: break
        }
    }

    /// A failure of which a diagnosis knows the reason: Apple's systems do not connect to the server.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - diagnosis: A diagnosis whose question of trust is answered with no.
    ///   - endpoint: The server.
    package init(_ failure: ServerFailure, explainedBy diagnosis: ServerDiagnosis, _ endpoint: TLSEndpoint) {
        let findings = diagnosis.reasons.filter { $0.subjects.contains(.trust) && !$0.isMissingFact }.map(Finding.init)
        let reason = findings.map(\.message).joined(separator: " ")
        let sentences = findings.map { "\($0.message) \($0.remedy)" }.joined(separator: " ")
        self.init(code: failure.code, message: "\(endpoint): \(sentences)", reason: reason, verdict: .notTrusted)
        self.findings = findings
        self.isExplained = true
    }

    /// A failure to read the certificate everything is about.
    package init(malformedLeaf error: CertificateError, _ endpoint: TLSEndpoint) {
        self.init(code: "malformed-certificate", message: "\(endpoint): the server's certificate is \(error)")
    }
}

/// Why there is no evaluation.
struct JSONError: Encodable {
    let code: String
    let message: String
}

extension TLSConnectionError {
    /// The same for errors that say nothing about what was offered; `nil` for others.
    fileprivate var plainFailure: ConnectionFailure? {
        switch self.code {
        case .resolutionFailed, .connectionRefused, .timedOut, .notTLS, .closedDuringHandshake:
            ConnectionFailure(handshaking: self)
        default: nil
        }
    }
}

extension TLSConnectionError.Code {
    /// The name as every other code is written: `no-certificate`.
    fileprivate var hyphenated: String {
        self.description.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }
}
