//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// A connection that App Transport Security does not let through, or that did not come about.
///
/// Show the description to people: it says what is wrong, what to do, and which codes URLSession has for it.
public struct ATSError: Error, Sendable {
    /// Where the connection was to go.
    public let destination: ATSDestination

    /// Everything that speaks against it, with Apple's codes. Only where the program's own evaluator refused it may there be
    /// nothing.
    public let verdict: ATSVerdict

    /// What is behind it, if more is known: a `ServerTrustFailure` of the program's own evaluator, the `CertificateError` of
    /// what could not be read, or the error of NIO or NIOSSL.
    public let cause: (any Error)?

    init(_ destination: ATSDestination, _ verdict: ATSVerdict, cause: (any Error)? = nil) {
        self.destination = destination
        self.verdict = verdict
        self.cause = cause
    }
}

extension ATSError: CustomStringConvertible {
    /// The destination, what is wrong and what to do, in one line.
    public var description: String {
        let host = self.destination.host.contains(":") ? "[\(self.destination.host)]" : self.destination.host
        let place = "\(self.destination.scheme.rawValue)://\(host):\(self.destination.port)"
        if let cause, self.verdict.isAllowed || cause is ATSOfferError { return "\(place): \(cause)" }
        return "\(place): \(self.verdict)"
    }
}
