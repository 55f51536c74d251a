//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a challenge ended a request.
public struct ChallengeError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// Why.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The handler cancelled it (`NSURLErrorCancelled`, -999).
        case cancelledByHandler = "cancelled-by-handler"
        /// The task was cancelled while the handler was asked.
        case cancelled
        /// The handler threw an error, which is ``ChallengeError/cause``.
        case handlerFailed = "handler-failed"
        /// The handler did not answer in time.
        case timeout
        /// The handler gave its completion away and will never answer.
        case noAnswer = "no-answer"
        /// The credential is of another kind than the method, or of another server's certificates.
        case wrongCredential = "wrong-credential"
        /// As many credentials failed as are allowed, or the server keeps asking.
        case tooManyFailures = "too-many-failures"
        /// One response asks in more ways than are read.
        case tooManyChallenges = "too-many-challenges"
        /// A server's trust was answered without a credential, or with a rejection.
        case serverRefused = "server-refused"

        /// What happened, as a sentence.
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

    /// Why.
    public let code: Code

    /// The error that the handler threw; `nil` for other codes. It is not part of the description, as it may name a secret.
    public let cause: (any Error)?

    init(_ code: Code, cause: (any Error)? = nil) { (self.code, self.cause) = (code, cause) }

    /// What happened, without anything of credentials.
    public var description: String { self.code.message }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the cause.
    public var customMirror: Mirror { Mirror(self, children: ["code": self.code.rawValue]) }
}
