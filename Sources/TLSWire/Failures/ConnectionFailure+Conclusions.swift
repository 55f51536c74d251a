//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ConnectionFailure {
    /// Whether asking again may help.
    package var mayPass: Bool {
        switch self {
        case .timedOut, .closed, .reset, .alert, .connectionRefused, .preamble, .startTLS, .proxy, .notTLS: true
        default: false
        }
    }

    /// Whether it may be a way of saying no.
    package var isSilence: Bool {
        switch self {
        case .closed, .reset, .alert: true
        default: false
        }
    }

    /// Whether it is the server's word on what was offered.
    package var isRefusal: Bool {
        if case .alert(let alert) = self { alert.isRefusal } else { false }
    }

    /// Whether something else than TLS answers, so that no client comes to a handshake.
    package var isOfOtherProtocol: Bool {
        switch self {
        case .notTLS: true
        case .startTLS(let refusal): refusal.isAboutServer
        default: false
        }
    }

    /// Whether it has nothing to do with the offer, so that a server that has answered before has changed its mind.
    package var isLimit: Bool {
        switch self {
        case .connectionRefused, .preamble, .startTLS, .proxy: true
        default: false
        }
    }

    /// Whether every other question would end the same way.
    ///
    /// - Parameters:
    ///   - hasAnswered: Whether the server has agreed on anything before. What speaks something else than TLS, or does
    ///     not let TLS begin, has it from the beginning; later it is a limit.
    ///   - isRepeated: Whether it was asked again already.
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

    /// Whether a real handshake that came to this is tried again. Who takes too long has had its time, and the hellos that
    /// follow are shorter.
    package func isWorthAnotherHandshake(hasAnswered: Bool) -> Bool {
        switch self {
        case .timedOut(.silent), .timedOut(.underWay): false
        default: self.mayPass && !self.isRefusal && !self.isFinal(hasAnswered: hasAnswered, isRepeated: false)
        }
    }

    /// How long to wait before asking again: longer for what looks like a limit.
    package func backOff(_ number: Int) -> Duration {
        guard self.isSilence || self.isLimit else { return .zero }
        return .milliseconds(250 << min(max(number, 0), 4))
    }
}
