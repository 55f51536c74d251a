//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ConnectionFailure {
    /// True if another attempt may help.
    package var mayPass: Bool {
        switch self {
        case .timedOut, .closed, .reset, .alert, .connectionRefused, .preamble, .startTLS, .proxy, .notTLS: true
        default: false
        }
    }

    /// True if the server may mean a refusal by it.
    package var isSilence: Bool {
        switch self {
        case .closed, .reset, .alert: true
        default: false
        }
    }

    /// True if the server refuses the offer by it.
    package var isRefusal: Bool {
        if case .alert(let alert) = self { alert.isRefusal } else { false }
    }

    /// True if something else than TLS answers, so that no client gets a handshake.
    package var isOfOtherProtocol: Bool {
        switch self {
        case .notTLS: true
        case .startTLS(let refusal): refusal.isAboutServer
        default: false
        }
    }

    /// True if the offer is not the reason, so that a server that answered before has changed its mind.
    package var isLimit: Bool {
        switch self {
        case .connectionRefused, .preamble, .startTLS, .proxy: true
        default: false
        }
    }

    /// True if every other question would end the same way.
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

    /// True if a real handshake that ended so is tried again. One that timed out has had its time, and the hellos that
    /// follow are shorter.
    package func isWorthAnotherHandshake(hasAnswered: Bool) -> Bool {
        switch self {
        case .timedOut(.silent), .timedOut(.underWay): false
        default: self.mayPass && !self.isRefusal && !self.isFinal(hasAnswered: hasAnswered, isRepeated: false)
        }
    }

    /// Returns the pause before another attempt: longer for a likely limit.
    package func backOff(_ number: Int) -> Duration {
        guard self.isSilence || self.isLimit else { return .zero }
        return .milliseconds(250 << min(max(number, 0), 4))
    }
}
