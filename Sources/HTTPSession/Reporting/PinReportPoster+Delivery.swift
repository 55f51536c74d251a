//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension PinReportPoster {
    /// A report, and what became of it at one URI.
    public struct Delivery: Sendable {
        /// The report.
        public let report: PinReport
        /// The URI, as it was given.
        public let uri: String
        /// What became of the report there.
        public let outcome: Outcome
    }

    /// What became of a report at one URI.
    public enum Outcome: Sendable {
        /// The server answered with a status from 200 through 299.
        case accepted(status: Int)
        /// The server answered with another status; one that redirects is among them.
        case refused(status: Int)
        /// There was no answer.
        case failed(Failure)
    }

    /// Why there was no answer to a report, and what to do about it.
    public struct Failure: Error, Sendable {
        /// Why, for programs.
        public enum Code: String, Sendable, Hashable, CaseIterable {
            /// The address is not one that may be connected to.
            case forbiddenAddress = "forbidden-address"
            /// There is no such host, or no connection to it.
            case unreachable
            /// It took too long.
            case timedOut = "timed-out"
            /// The certificates of the server are not trusted. Nothing was sent.
            case untrusted
            /// The answer is larger than allowed.
            case tooLarge = "too-large"
            /// The server does not answer as HTTP or TLS servers do.
            case badAnswer = "bad-answer"
            /// The task was cancelled.
            case cancelled
        }

        /// Why, for programs.
        public let code: Code
        /// What happened, in one sentence or two.
        public let message: String
        /// What would put it right, in one sentence.
        public let remedy: String
        /// Why the server is not trusted, with the evidence, where an evaluation said so.
        public let trustFailure: ServerTrustFailure?
    }
}

extension PinReportPoster.Outcome: CustomStringConvertible {
    /// What became of the report, in a line.
    public var description: String {
        switch self {
        case .accepted(let status): "accepted with status \(status)"
        case .refused(let status): "refused with status \(status)"
        case .failed(let failure): "\(failure)"
        }
    }
}

extension PinReportPoster.Failure: CustomStringConvertible {
    /// What happened and what to do.
    public var description: String { "\(self.message) \(self.remedy)" }
}

extension PinReportPoster.Failure {
    /// The failure of a connection that was not refused for its certificates.
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

    /// The failure of a server that is not trusted.
    init(_ failure: ServerTrustFailure) {
        self.init(
            code: .untrusted, message: "The report server is not trusted: \(failure.message)", remedy: failure.remedy,
            trustFailure: failure)
    }

    /// The failure of a server whose certificates nothing can be made of.
    static func unreadable(_ reason: String) -> Self {
        Self(
            code: .untrusted, message: "The report server is not trusted: \(reason).",
            remedy: "Configure its own certificate and the intermediates on it.", trustFailure: nil)
    }

    /// Whether it may go better a moment later. A report that arrived without being answered is then sent twice, which
    /// does no harm.
    var mayPass: Bool { self.code == .unreachable || self.code == .badAnswer }
}
