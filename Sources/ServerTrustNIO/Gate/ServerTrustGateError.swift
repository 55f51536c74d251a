//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import ServerTrust

/// A connection that the gate does not let through, or that did not come about.
///
/// Show the description to people: it says what is wrong, what to do, and which codes URLSession has for it.
public struct ServerTrustGateError: Error, Sendable {
    /// Where the connection was to go.
    public let destination: ATSDestination

    /// Everything that speaks against it, with Apple's codes. Only where the program's own evaluator or handler refused it may
    /// there be nothing.
    public let verdict: ATSVerdict

    /// What is behind it, if more is known: a `ServerTrustFailure` of the program's own evaluator, the error of its handler, the
    /// `CertificateError` of what could not be read, or the error of NIO or NIOSSL.
    public let cause: (any Error)?

    init(_ destination: ATSDestination, _ verdict: ATSVerdict, cause: (any Error)? = nil) {
        self.destination = destination
        self.verdict = verdict
        self.cause = cause
    }
}

extension ServerTrustGateError {
    /// True if the certificates cannot be read.
    package var isOfCertificates: Bool {
        self.cause is CertificateError || self.cause is TrustError || self.cause is TooManyCertificates
    }

    /// The code that URLSession fails with. What only the program's own evaluator or handler refuses is
    /// cancelled by a delegate on Apple's systems (`NSURLErrorCancelled`, -999).
    public var urlError: URLErrorCode { self.verdict.urlError ?? .cancelled }
}

extension ServerTrustGateError: CustomStringConvertible {
    /// The destination, what is wrong and what to do, in one line.
    public var description: String {
        let host = self.destination.host.contains(":") ? "[\(self.destination.host)]" : self.destination.host
        let place = "\(self.destination.scheme.rawValue)://\(host):\(self.destination.port)"
        if let cause, self.verdict.isAllowed || cause is TLSOfferError { return "\(place): \(cause)" }
        let remark = (self.cause as? NothingFetched).map { " \($0)" } ?? ""
        return "\(place): \(self.verdict)\(remark)"
    }
}

/// A callback refused a chain that might have been trusted with what can be fetched.
struct NothingFetched: Error, CustomStringConvertible {
    let description =
        "A callback fetches nothing, neither issuers nor revocation. The handlers of the gate in a pipeline do."
}

/// A handler refused the server without a reason of its own.
struct HandlerRefusal: Error, CustomStringConvertible {
    let description = "The program's handler refused the server."
}

/// A handler answered with a credential that is no answer.
struct MistakenCredential: Error, CustomStringConvertible {
    let description =
        "The program's handler accepted another chain than the server sent. Answer with the trust of the challenge."
}

/// A handler did not answer in time.
struct HandlerTimeout: Error, CustomStringConvertible {
    let description = "The program's handler did not answer in time."
}

/// A write beyond what may wait for the verdict.
public struct PendingWritesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes that may wait.
    public let limit: Int

    /// What is wrong and what to do.
    public var description: String {
        "More than \(self.limit) bytes were written before the server was trusted. Wait for the handshake, or for the promise of "
            + "each write."
    }
}
