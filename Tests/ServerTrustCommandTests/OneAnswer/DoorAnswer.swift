//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
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
    /// Maps exit codes, documents and errors.
    init(_ evidence: DoorEvidence) {
        switch evidence {
        case .command(let exit, let code, _):
            let verdict = Verdict(rawValue: exit) ?? .undecided
            self.init(verdict: verdict, code: verdict == .trusted ? nil : code)
        case .library(let error?): self = Self.answer(error)
        case .library(nil): self = .trusted
        }
    }

    private static func answer(_ error: any Error) -> DoorAnswer {
        switch error {
        case let error as ServerTrustGateError: Self.answer(error)
        case let error as TrustFailure: .refused(error.primary.code)
        case let error as HTTPSessionError:
            DoorAnswer(verdict: error.isRefusal ? .refused : .undecided, code: error.rule)
        case let error as HandshakeEndedByServer: Self.answer(.clientCertificate(error.alert))
        // The client's own handler ended the handshake before the callback had the certificates, or without asking the gate.
        case is NIOSSLError, is ChannelError, is IOError: Self.answer(ConnectionFailure(handshakeError: error))
        default: .undecided("\(type(of: error))")
        }
    }

    private static func answer(_ error: ServerTrustGateError) -> DoorAnswer {
        guard case .connectionFailed(let failure)? = error.verdict.primary?.reason else { return .refused(error.code) }
        return Self.answer(failure)
    }

    private static func answer(_ failure: ConnectionFailure) -> DoorAnswer {
        failure.isWithoutAnswer ? .undecided(failure.code) : .refused(failure.code)
    }
}
