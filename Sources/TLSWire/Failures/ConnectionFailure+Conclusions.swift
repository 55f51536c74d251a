//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ConnectionFailure {
    package var mayPass: Bool {
        switch self {
        case .timedOut, .closed, .reset, .alert, .connectionRefused, .preamble, .startTLS, .proxy, .notTLS: true
        default: false
        }
    }

    /// `true` if the failure may mean a refusal by the server.
    package var isSilence: Bool {
        switch self {
        case .closed, .reset, .alert: true
        default: false
        }
    }

    package var isRefusal: Bool {
        if case .alert(let alert) = self { alert.isRefusal } else { false }
    }

    /// `true` if the server speaks a protocol other than TLS, so that no client gets a handshake.
    package var isOfOtherProtocol: Bool {
        switch self {
        case .notTLS: true
        case .startTLS(let refusal): refusal.isAboutServer
        default: false
        }
    }

    /// `true` if the failure is no evidence against the server: there was none, the connection ended, the server had an internal
    /// error, or it requires a client certificate. A single such attempt is not a refusal.
    public var isWithoutAnswer: Bool {
        switch self {
        case .closed, .reset, .handshake(_, .otherError), .alert(.internalError), .clientCertificate: true
        default: self.isWithoutServer
        }
    }

    /// `true` if there was no TLS server to connect to.
    public var isWithoutServer: Bool {
        switch self {
        case .startTLS: !self.isOfOtherProtocol
        case .hostNotFound, .lookupFailed, .forbiddenAddress, .connectionRefused, .unreachable, .timedOut, .starved,
            .preamble, .proxy, .exhausted, .cancelled:
            true
        default: false
        }
    }

    /// `true` if the server speaks another protocol than TLS, breaks its rules, or sends more than is read.
    package var breaksProtocol: Bool {
        switch self {
        case .malformed, .violation, .handshake(_, .tooMuch), .handshake(_, .brokenRule): true
        default: self.isOfOtherProtocol
        }
    }

    /// `true` if the server sent more than is read of a handshake.
    package var isOfLimit: Bool {
        switch self {
        case .malformed(let error): error.isAboutLimit
        case .handshake(_, .tooMuch): true
        default: false
        }
    }

    /// `true` if the offer is not the reason. A server that answered before has then begun to refuse connections.
    package var isLimit: Bool {
        switch self {
        case .connectionRefused, .preamble, .startTLS, .proxy: true
        default: false
        }
    }

    /// Returns `true` if every further attempt would fail in the same way.
    ///
    /// - Parameters:
    ///   - hasAnswered: `true` if the server has accepted an offer before. A server that speaks another protocol, or refuses to
    ///     begin TLS, does so from the start. Later the same failure is a limit.
    ///   - isRepeated: `true` if the attempt was repeated already.
    package func isFinal(hasAnswered: Bool, isRepeated: Bool) -> Bool {
        switch self {
        case .hostNotFound, .lookupFailed, .unreachable, .exhausted, .cancelled: true
        case .preamble(_, let mayPass): !hasAnswered && (isRepeated || !mayPass)
        case .startTLS(let refusal): !hasAnswered && (isRepeated || !refusal.mayPass)
        case .proxy(let refusal): !hasAnswered && (isRepeated || !refusal.mayPass)
        case .notTLS: !hasAnswered && isRepeated
        default: false
        }
    }

    /// Returns `true` if a complete handshake with this failure is worth a second attempt. A timed-out one is not, as it had its
    /// time and the hellos after it are shorter.
    package func isWorthAnotherHandshake(hasAnswered: Bool) -> Bool {
        switch self {
        case .timedOut(.greeting), .timedOut(.beforeTLS), .timedOut(.silent), .timedOut(.underWay): false
        default: self.mayPass && !self.isRefusal && !self.isFinal(hasAnswered: hasAnswered, isRepeated: false)
        }
    }

    /// Returns the pause before another attempt, longer after a likely limit.
    package func backOff(_ number: Int) -> Duration {
        guard self.isSilence || self.isLimit else { return .zero }
        return .milliseconds(250 << min(max(number, 0), 4))
    }
}
