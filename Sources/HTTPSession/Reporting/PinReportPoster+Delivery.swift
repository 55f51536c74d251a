//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension PinReportPoster {
    /// The delivery of a report to one URI, with its outcome.
    public struct Delivery: Sendable {
        /// The report that was posted.
        public let report: PinReport
        /// The URI as the caller passed it.
        public let uri: String
        /// The outcome of the delivery.
        public let outcome: Outcome
    }

    /// The outcome of posting a report to one URI.
    public enum Outcome: Sendable {
        /// The server responded with a status from 200 through 299.
        case accepted(status: Int)
        /// The server responded with another status, for example a redirect.
        case refused(status: Int)
        /// There was no response, or the server is not trusted.
        case failed(Failure)
    }

    /// The reason that a report could not be delivered, with a remedy.
    public struct Failure: Error, Sendable {
        /// The kind of a failure, for programs.
        public enum Code: String, Sendable, Hashable, CaseIterable {
            /// Connections to the address are not allowed.
            case forbiddenAddress = "forbidden-address"
            /// The host does not exist, or the connection failed.
            case unreachable
            /// The time limit was exceeded.
            case timedOut = "timed-out"
            /// The server's certificates are not trusted. Nothing was sent.
            case untrusted
            /// The response is larger than the limit.
            case tooLarge = "too-large"
            /// The response is not valid HTTP, or the TLS handshake failed.
            case badAnswer = "bad-answer"
            /// The task was canceled.
            case cancelled
        }

        /// The kind of the failure, for programs.
        public let code: Code
        /// The problem in one or two sentences.
        public let message: String
        /// The remedy in one sentence.
        public let remedy: String
        /// The trust failure with its evidence, or `nil` if no evaluation refused the server.
        public let trustFailure: ServerTrustFailure?
    }
}

extension PinReportPoster.Outcome: CustomStringConvertible {
    /// The outcome in one line.
    public var description: String {
        switch self {
        case .accepted(let status): "accepted with status \(status)"
        case .refused(let status): "refused with status \(status)"
        case .failed(let failure): "\(failure)"
        }
    }
}

extension PinReportPoster.Failure: CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String { "\(self.message) \(self.remedy)" }
}

extension PinReportPoster.Failure {
    init(_ error: ResourceError) {
        let (code, remedy): (Code, String) =
            switch error.code {
            case .forbiddenAddress:
                (.forbiddenAddress, "If it is the report server's, name it in dangerouslyAllowedAddresses.")
            case .unreachable: (.unreachable, "Check the URI, this machine's DNS, and any firewall between them.")
            case .timedOut: (.timedOut, "Check whether the report server answers, or allow more time.")
            case .tooLarge: (.tooLarge, "Have the report server answer with a status and little else.")
            case .cancelled: (.cancelled, "Post it again if it is still of interest.")
            case .badAnswer, .invalidURL, .limitReached:
                (.badAnswer, "Check that the scheme and port of the URI are those of the report server.")
            }
        let message = "The report was not posted: \(error.reason)."
        self.init(code: code, message: message, remedy: remedy, trustFailure: nil)
    }

    init(_ failure: ServerTrustFailure) {
        self.init(
            code: .untrusted, message: "The report server is not trusted: \(failure.message)", remedy: failure.remedy,
            trustFailure: failure)
    }

    static func unreadable(_ reason: String) -> Self {
        Self(
            code: .untrusted, message: "The report server is not trusted: \(reason).",
            remedy: "Configure its own certificate and the intermediates on it.", trustFailure: nil)
    }

    /// `true` if the failure may be temporary. If the first report did arrive, the second one does no harm.
    var mayPass: Bool { self.code == .unreachable || self.code == .badAnswer }
}
