//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOSSL
import ServerTrust
import ServerTrustNIO
import TLSWire

/// The answer of a door: its class, and the code of the first reason.
struct DoorAnswer: Equatable, Sendable, CustomStringConvertible {
    /// The class of an answer. The raw value is the exit code of a command.
    enum Verdict: Int32, Sendable {
        case trusted = 0
        case refused = 1
        case undecided = 2
    }

    let verdict: Verdict
    /// The code of the first reason; `nil` for a trusted server, and for an answer without a code.
    let code: String?

    static let trusted = Self(verdict: .trusted, code: nil)

    static func refused(_ code: String?) -> Self { Self(verdict: .refused, code: code) }

    static func undecided(_ code: String? = nil) -> Self { Self(verdict: .undecided, code: code) }

    var description: String { self.code.map { "\(self.verdict) (\($0))" } ?? "\(self.verdict)" }

    /// Whether an answer says what is expected: the class, and the code where one is expected.
    func isAsExpected(_ expected: DoorAnswer) -> Bool {
        self.verdict == expected.verdict && (expected.code == nil || self.code == expected.code)
    }
}

/// The traces that an answer leaves: those of a command, or the error of a library.
enum DoorEvidence: Sendable {
    /// An exit code, the code of the first reason where the output has one, and all of the output.
    case command(exit: Int32, code: String?, text: String)
    /// An error; `nil` for none.
    case library((any Error)?)

    /// All that was said.
    var text: String {
        switch self {
        case .command(_, _, let text): text
        case .library(let error): error.map { "\($0)" } ?? ""
        }
    }
}

extension DoorAnswer.Verdict {
    init(_ outcome: ATSOutcome) {
        self =
            switch outcome {
            case .passed: .trusted
            case .failed: .refused
            case .unknown: .undecided
            }
    }
}

extension DoorAnswer {
    /// Codes that name the outcome and not its reason. The words of the answer then name the reason.
    private static let outerCodes: Set<String?> = [nil, "untrusted", "connection-failed"]

    /// Maps exit codes, documents and errors.
    ///
    /// - Parameters:
    ///   - evidence: The traces of the answer.
    ///   - reason: The reason that is expected, and words by which every text tells it.
    init(_ evidence: DoorEvidence, reason: (code: String, words: String)?) {
        let answer = Self.read(evidence)
        let isNamed = Self.outerCodes.contains(answer.code) && reason.map { evidence.text.contains($0.words) } == true
        self.init(verdict: answer.verdict, code: isNamed ? reason?.code : answer.code)
    }

    private static func read(_ evidence: DoorEvidence) -> DoorAnswer {
        switch evidence {
        case .command(let exit, let code, _):
            let verdict = Verdict(rawValue: exit) ?? .undecided
            return DoorAnswer(verdict: verdict, code: verdict == .trusted ? nil : code)
        case .library(let error?): return Self.answer(error)
        case .library(nil): return .trusted
        }
    }

    private static func answer(_ error: any Error) -> DoorAnswer {
        switch error {
        case let error as ServerTrustGateError: Self.answer(error)
        case let error as TrustFailure: .refused(error.primary.code)
        case let error as HTTPSessionError:
            DoorAnswer(
                verdict: error.isRefusal ? .refused : .undecided,
                code: (error.cause as? ServerTrustGateError).flatMap { Self.answer($0).code })
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), is HandshakeEndedByServer: .undecided()
        // BoringSSL looks at the key usage before it hands over the certificates, and names the reason.
        case is NIOSSLError where "\(error)".contains("KEY_USAGE_BIT_INCORRECT"): .refused("key-usage")
        case is NIOSSLError where TLSAlertDescription(receivedIn: error) == .protocolVersion:
            .refused("tls-version-too-old")
        // BoringSSL ends the handshake before the callback, or the gate, has the certificates.
        case is NIOSSLError, is BoringSSLError: .refused("connection-failed")
        default: .undecided("\(type(of: error))")
        }
    }

    private static func answer(_ error: ServerTrustGateError) -> DoorAnswer {
        guard let violation = error.verdict.primary else {
            return .refused((error.cause as? ServerTrustFailure)?.code)
        }
        switch violation.reason {
        case .untrusted(let failure): return .refused(failure.primary.code)
        case .connectionFailed(let failure) where failure.isWithoutAnswer: return .undecided(violation.code)
        default: return .refused(violation.code)
        }
    }
}
