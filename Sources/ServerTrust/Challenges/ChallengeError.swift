//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why a challenge ended a request.
///
/// The description and reflection reveal no credentials. ``cause`` may, so do not log it.
public struct ChallengeError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The kinds of reasons.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The handler cancelled the challenge (`NSURLErrorCancelled`, -999).
        case cancelledByHandler = "cancelled-by-handler"
        /// The task was cancelled while the handler was running.
        case cancelled
        /// The handler threw an error, which is ``ChallengeError/cause``.
        case handlerFailed = "handler-failed"
        /// The handler did not answer in time.
        case timeout
        /// The handler released its completion without calling it.
        case noAnswer = "no-answer"
        /// The credential has another kind than the method, or is for the certificates of another server.
        case wrongCredential = "wrong-credential"
        /// The maximum number of credentials failed, or the server keeps sending challenges.
        case tooManyFailures = "too-many-failures"
        /// One response has more challenges than are read.
        case tooManyChallenges = "too-many-challenges"
        /// The handler answered a server's trust without a credential, or with a rejection.
        case serverRefused = "server-refused"

        var message: String {
            switch self {
            case .cancelledByHandler: "The program cancelled the request when it was asked for a credential."
            case .cancelled: "The request was cancelled while the program was asked for a credential."
            case .handlerFailed: "The program's handler of challenges failed."
            case .timeout: "The program did not answer a challenge in time."
            case .noAnswer: "The program's handler ended without an answer to a challenge."
            case .wrongCredential: "The program answered with a credential that does not fit the challenge."
            case .tooManyFailures: "The server refused as many credentials as the program may try."
            case .tooManyChallenges: "The server asks for a credential in too many ways at once."
            case .serverRefused: "The program refused the server."
            }
        }
    }

    /// The kind of reason.
    public let code: Code

    /// The error that the handler threw, or `nil` for other codes. The description leaves it out, as it may name a secret.
    public let cause: (any Error)?

    init(_ code: Code, cause: (any Error)? = nil) { (self.code, self.cause) = (code, cause) }

    /// The reason as a sentence, without any part of credentials.
    public var description: String { self.code.message }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the cause.
    public var customMirror: Mirror { Mirror(self, children: ["code": self.code.rawValue]) }
}
