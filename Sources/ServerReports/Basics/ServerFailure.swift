//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerDiagnosis
package import ServerTrust
package import ServerTrustNIO
import TLSProbe
package import TLSWire

/// The reason why a server could not be evaluated.
package struct ServerFailure: Sendable {
    /// A short, stable name for programs.
    let code: String
    /// The failure and its remedy, in one line.
    package let message: String
    /// The verdict about the server. A server that answers with another protocol than TLS is not trusted, because no client
    /// connects to it.
    package let verdict: ReportVerdict
    /// `true` if there was no connection, so that clients try another address of the name.
    package let isWithoutConnection: Bool
    /// The failure without the server's name and without a remedy.
    let reason: String
    /// `true` if the server ended the handshake with an alert, or sent something other than a handshake. A diagnosis may then
    /// find the reason why Apple's systems do not connect.
    package private(set) var isRefusal = false
    package private(set) var findings: [Finding] = []
    /// `true` if a diagnosis explains why Apple's systems do not connect.
    package private(set) var isExplained = false

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
    /// Creates the failure for an error that prevented the server from presenting certificates.
    package init(_ error: any Error, _ endpoint: TLSEndpoint) {
        if let failure = (error as? ConnectionFailure) ?? (error as? TLSConnectionError)?.failure {
            self.init(failure, endpoint)
        } else {
            self.init(code: "connection-failed", message: "\(endpoint): connecting failed (\(error)). Try again")
        }
    }

    /// Creates the failure for a connection that gave no clear answer, in the words of every command.
    package init(_ failure: ConnectionFailure, _ endpoint: TLSEndpoint) {
        // A server above these limits is at fault, because no TLS library accepts such messages.
        let isAtFault = failure.isOfOtherProtocol || failure.isOfLimit
        self.init(
            code: failure.code, message: "\(endpoint): \(failure.message) \(failure.remedy)",
            reason: failure.message, verdict: isAtFault ? .notTrusted : .notEvaluated,
            isWithoutConnection: failure.isWithoutConnection)
        self.findings = [Finding(failure)]
        switch failure {
        case .alert, .malformed, .violation, .handshake: self.isRefusal = true
        default: break
        }
    }

    /// Creates a failure with the reasons of a diagnosis, which found that Apple's systems do not connect to the server.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - diagnosis: A diagnosis in which trust fails.
    ///   - endpoint: The server.
    package init(_ failure: ServerFailure, explainedBy diagnosis: ServerDiagnosis, _ endpoint: TLSEndpoint) {
        let findings = diagnosis.reasons.filter { $0.subjects.contains(.trust) && !$0.isMissingFact }.map(Finding.init)
        let reason = findings.map(\.message).joined(separator: " ")
        let sentences = findings.map { "\($0.message) \($0.remedy)" }.joined(separator: " ")
        self.init(code: failure.code, message: "\(endpoint): \(sentences)", reason: reason, verdict: .notTrusted)
        self.findings = findings
        self.isExplained = true
    }

    /// Creates the failure for a server certificate that cannot be read.
    package init(malformedLeaf error: CertificateError, _ endpoint: TLSEndpoint) {
        self.init(code: "malformed-certificate", message: "\(endpoint): the server's certificate is \(error)")
    }
}

/// The reason why there is no evaluation, in JSON.
struct JSONError: Encodable {
    let code: String
    let message: String
}
