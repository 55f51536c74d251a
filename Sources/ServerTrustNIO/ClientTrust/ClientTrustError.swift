//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The error for a client that a server refuses.
///
/// Show its description to people: it contains the problem and a remedy.
public struct ClientTrustError: Error, Sendable {
    /// The kinds of refusal.
    public enum Code: String, Sendable, Hashable {
        /// The client's chain is not trusted, or does not match the pins.
        case untrusted
        /// The client presented no certificate, and the settings require one.
        case noCertificate
        /// The client's certificates cannot be read, or there are too many.
        case unreadable
        /// The handshake failed.
        case handshakeFailed
        /// The handshake was not finished in time.
        case timedOut
        /// The handshake is complete without a verdict, because a session was resumed.
        case notJudged
    }

    /// The kind of refusal.
    public let code: Code

    /// The problem with the client's chain, or `nil` for the other codes.
    public let failure: ServerTrustFailure?

    /// The evaluation of the client's chain, or `nil` if there was none.
    public let result: TrustResult?

    /// The underlying error, or `nil` if there is none.
    public let cause: (any Error)?

    init(_ code: Code, cause: (any Error)? = nil) {
        self.code = code
        self.failure = nil
        self.result = nil
        self.cause = cause
    }

    init(_ failure: ServerTrustFailure, _ result: TrustResult?) {
        self.code = .untrusted
        self.failure = failure
        self.result = result
        self.cause = nil
    }
}

extension ClientTrustError: CustomStringConvertible {
    /// The problem and a remedy.
    public var description: String {
        switch self.code {
        case .untrusted:
            "The client is not trusted. \(self.failure.map { "\($0)" } ?? "")"
        case .noCertificate:
            "The client presented no certificate. Give it one of an authority that this server trusts."
        case .unreadable:
            "The client's certificates cannot be read (\(self.detail)). Have the client's certificate issued anew."
        case .handshakeFailed: "The TLS handshake with the client failed (\(self.detail)). Look into the client's log."
        case .timedOut: "The client did not finish the TLS handshake in time. Check the network between."
        case .notJudged:
            "The client resumed a session, and its certificate was not judged. Make a TLS context for each connection."
        }
    }

    private var detail: String {
        if let reasons = self.cause?.boringSSLErrors?.map(\.reason), !reasons.isEmpty {
            return reasons.joined(separator: ", ")
        }
        return self.cause.map { "\($0)" } ?? "the connection ended"
    }
}
