//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a question to a server has no clear answer.
public enum ProbeFailure: Error, Sendable, Hashable {
    /// The name has no address.
    case hostNotFound
    /// No name server gave an answer about the name, which may pass.
    case lookupFailed
    /// Nothing listens there.
    case connectionRefused
    /// There is no way there; the text says why, in the system's words.
    case unreachable(String)
    /// Nothing, or not enough, came in time.
    case timedOut(Phase)
    /// The connection was closed without an answer.
    case closed
    /// The connection was reset without an answer.
    case reset
    /// An alert that says nothing about the offer, such as internal_error.
    case alert(TLSAlertDescription)
    /// The answer is not TLS: how it begins, in printable characters.
    case notTLS(beginning: String)
    /// The answer breaks TLS's rules.
    case malformed(FlightError)
    /// What the server says in a handshake can be read and breaks TLS's rules.
    case violation(HandshakeError)
    /// A real handshake failed, for the reason that the TLS library gives.
    case handshake(String)
    /// The connection ended before TLS could begin: how; and whether that may pass.
    case preamble(String, mayPass: Bool = false)
    /// The server did not let TLS begin in the protocol before it.
    case startTLS(StartTLSRefusal)
    /// The proxy did not connect to the server, or could not be reached.
    case proxy(ProxyRefusal)
    /// The server used up what one server may cost: connections, or time.
    case exhausted
    /// The probe was ended from this side.
    case cancelled

    /// How far an exchange got before time ran out.
    public enum Phase: String, Sendable, Hashable {
        /// Looking up the name.
        case resolving
        /// Connecting.
        case connecting
        /// Waiting for the first byte.
        case silent
        /// Waiting for the rest.
        case underWay = "under-way"
    }
}

// MARK: - Conclusions

extension ProbeFailure {
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

// MARK: - Codes and messages, the one table of them

extension ProbeFailure {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .hostNotFound: "host-not-found"
        case .lookupFailed: "lookup-failed"
        case .connectionRefused: "connection-refused"
        case .unreachable: "unreachable"
        case .timedOut(let phase): "timed-out-\(phase.rawValue)"
        case .closed: "closed"
        case .reset: "reset"
        case .alert: "inconclusive-alert"
        case .notTLS: "not-tls"
        case .malformed, .violation: "malformed"
        case .handshake: "handshake"
        case .preamble, .startTLS: "preamble"
        case .proxy: "proxy"
        case .exhausted: "exhausted"
        case .cancelled: "cancelled"
        }
    }

    /// What happened, in one sentence.
    public var message: String {
        switch self {
        case .hostNotFound: "The name has no address."
        case .lookupFailed: "The name could not be looked up: no name server gave an answer."
        case .connectionRefused: "Nothing listens at the port."
        case .unreachable(let reason): "There is no way to the server: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .timedOut(.resolving): "Looking up the name took too long."
        case .timedOut(.connecting): "Connecting took too long."
        case .timedOut(.silent): "The server took the connection and said nothing in time."
        case .timedOut(.underWay): "The server began to answer and did not finish in time."
        case .closed: "The server closed the connection without an answer."
        case .reset: "The connection was reset without an answer."
        case .alert(let alert) where Self.alertsAboutOffers.contains(alert):
            "The server answered with the alert \(alert)."
        case .alert(let alert): "The server answered with the alert \(alert), which says nothing about the offer."
        case .notTLS(""): "The server does not answer in TLS."
        case .notTLS(let beginning): "The server does not answer in TLS; its answer begins “\(beginning)”."
        case .malformed(let error): "The server's answer \(error.summary): \(error.message)"
        case .violation(let error): "The server's handshake breaks the rules of TLS: \(error.message)"
        case .handshake(let reason): "The handshake failed: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .preamble(let reason, _):
            "It did not get as far as TLS: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .startTLS(let refusal): Self.preamble("\(refusal)").message
        case .proxy(let refusal): Self.preamble("\(refusal)").message
        case .exhausted: "The server used up the connections or the time that one server may cost."
        case .cancelled: "The probe was ended before there was an answer."
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch self {
        case .hostNotFound: "Check the name's spelling and its DNS."
        case .lookupFailed: "Check the resolver of this machine and its network, and try again."
        case .connectionRefused: "Check that the server runs and listens at that port."
        case .unreachable: "Check the address, the routes, and the firewalls on the way."
        case .timedOut(.resolving): "Check the resolver of this machine, and try again."
        case .timedOut(.connecting): "Check the address and the firewalls on the way, or allow more time."
        case .timedOut: "Allow more time, and check that the port speaks TLS from the first byte on."
        case .closed, .reset: "Look into the server's log, and at firewalls that watch for scanners; try again later."
        case .alert(let alert): alert.remedy ?? "Look into the server's log for this connection."
        case .notTLS: "Check the port; if the protocol turns to TLS only later, say which protocol it is."
        case .malformed, .violation: "Check what answers at this address, and update it."
        case .handshake: "Look into the server's log for this connection, and whether it wants a client certificate."
        case .preamble: "Check the protocol and the port, and that the server offers TLS in it."
        case .startTLS(let refusal): refusal.advice
        case .proxy(let refusal): refusal.advice
        case .exhausted: "Ask for less, or allow more time."
        case .cancelled: "Ask again."
        }
    }
}

extension ProbeFailure {
    /// One of each, for lists of codes.
    package static let oneOfEach: [ProbeFailure] = [
        .hostNotFound, .lookupFailed, .connectionRefused, .unreachable("the system's reason follows."),
        .timedOut(.resolving), .timedOut(.connecting), .timedOut(.silent), .timedOut(.underWay), .closed, .reset,
        .alert(TLSAlertDescription(rawValue: 80)), .notTLS(beginning: ""), .malformed(.emptyRecord),
        .handshake("the TLS library's reason follows."), .preamble("its reason follows."),
        .proxy(ProxyRefusal(Proxy(.http, at: "proxy.example", port: 3_128), .closed)), .exhausted, .cancelled,
    ]
}

extension ProbeFailure {
    /// The alerts that are about what a hello offers (RFC 8446 §6.2, RFC 6066 §3, RFC 7301 §3.2).
    private static let alertsAboutOffers: Set<TLSAlertDescription> = [
        .handshakeFailure, .illegalParameter, .protocolVersion, .insufficientSecurity, .unrecognizedName,
        .noApplicationProtocol,
    ]
}
