//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import ServerTrust

/// The error for a connection that failed or that the gate refused.
///
/// Show its description to people: it contains the problem, a remedy, and the codes that URLSession reports for it.
public struct ServerTrustGateError: Error, Sendable {
    /// The destination of the connection.
    public let destination: ATSDestination

    /// All violations, with Apple's codes. Only if the program's own evaluator or handler refused the connection can there be none.
    public let verdict: ATSVerdict

    /// The underlying error, if there is one: a `ServerTrustFailure` of the program's own evaluator, the error of its handler, the
    /// `CertificateError` of an unreadable certificate, or the error of NIO or NIOSSL.
    public let cause: (any Error)?

    init(_ destination: ATSDestination, _ verdict: ATSVerdict, cause: (any Error)? = nil) {
        self.destination = destination
        self.verdict = verdict
        self.cause = cause
    }
}

extension ServerTrustGateError {
    package var isOfCertificates: Bool {
        self.cause is CertificateError || self.cause is TrustError || self.cause is TooManyCertificates
    }

    /// A short, stable name for programs, counters and logs: the code of the chain's worst reason, of the worst violation of App
    /// Transport Security, or of the program's own evaluator. It contains nothing that a server can choose.
    public var code: String {
        self.verdict.primary?.rule ?? (self.cause as? ServerTrustFailure)?.code ?? "program"
    }

    /// The code that URLSession fails with. If only the program's own evaluator or handler refuses the server, that is the code for
    /// a cancellation by a delegate on Apple's systems (`NSURLErrorCancelled`, -999).
    public var urlError: URLErrorCode { self.verdict.urlError ?? .cancelled }
}

extension ServerTrustGateError: CustomStringConvertible {
    /// The destination, the problem and a remedy, in one line.
    public var description: String {
        let host = self.destination.host.contains(":") ? "[\(self.destination.host)]" : self.destination.host
        let place = "\(self.destination.scheme.rawValue)://\(host):\(self.destination.port)"
        if let cause, self.verdict.isAllowed || cause is TLSOfferError { return "\(place): \(cause)" }
        let remark = (self.cause as? NothingFetched).map { " \($0)" } ?? ""
        return "\(place): \(self.verdict)\(remark)"
    }
}

/// The error for a chain that a callback refused although a fetch might have made it trusted.
struct NothingFetched: Error, CustomStringConvertible {
    let description =
        "A callback fetches nothing, neither issuers nor revocation. The handlers of the gate in a pipeline do."
}

/// The error for a handler that refused the server without a reason.
struct HandlerRefusal: Error, CustomStringConvertible {
    let description = "The program's handler refused the server."
}

/// The error for a handler that answered with the credential of another chain.
struct MistakenCredential: Error, CustomStringConvertible {
    let description =
        "The program's handler accepted another chain than the server sent. Answer with the trust of the challenge."
}

/// The error for a handler that did not answer in time.
struct HandlerTimeout: Error, CustomStringConvertible {
    let description = "The program's handler did not answer in time."
}

/// The error for issuers, revocation data or a second look at the server that did not arrive in time.
struct FetchTimeout: Error, CustomStringConvertible {
    let description = "Issuers or revocation data could not be fetched in time."
}

/// The error for a write above the limit on bytes that wait for the verdict.
///
/// It occurs if the program writes more than ``ServerTrustSettings/maximumPendingBytes`` before the server is trusted.
public struct PendingWritesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of waiting bytes.
    public let limit: Int

    /// The problem and a remedy.
    public var description: String {
        "More than \(self.limit) bytes were written before the server was trusted. Wait for the handshake, or for the promise of "
            + "each write."
    }
}
