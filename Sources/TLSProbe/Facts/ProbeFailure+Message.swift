//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The one table of what a question without a clear answer is called, what happened, and what to do.
extension ProbeFailure {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .hostNotFound: "host-not-found"
        case .connectionRefused: "connection-refused"
        case .unreachable: "unreachable"
        case .timedOut(let phase): "timed-out-\(phase.rawValue)"
        case .closed: "closed"
        case .reset: "reset"
        case .alert: "inconclusive-alert"
        case .notTLS: "not-tls"
        case .malformed: "malformed"
        case .handshake: "handshake"
        case .preamble: "preamble"
        case .exhausted: "exhausted"
        case .cancelled: "cancelled"
        }
    }

    /// What happened, in one sentence.
    public var message: String {
        switch self {
        case .hostNotFound: "The name has no address."
        case .connectionRefused: "Nothing listens at the port."
        case .unreachable(let reason): "There is no way to the server: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .timedOut(.resolving): "Looking up the name took too long."
        case .timedOut(.connecting): "Connecting took too long."
        case .timedOut(.silent): "The server took the connection and said nothing in time."
        case .timedOut(.underWay): "The server began to answer and did not finish in time."
        case .closed: "The server closed the connection without an answer."
        case .reset: "The connection was reset without an answer."
        case .alert(let alert): "The server answered with the alert \(alert), which says nothing about the offer."
        case .notTLS(""): "The server does not answer in TLS."
        case .notTLS(let beginning): "The server does not answer in TLS; its answer begins “\(beginning)”."
        case .malformed(let error): "The server's answer breaks the rules of TLS: \(error.message)"
        case .handshake(let reason): "The handshake failed: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .preamble(let reason, _):
            "It did not get as far as TLS: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .exhausted: "The server used up the connections or the time that one server may cost."
        case .cancelled: "The probe was ended before there was an answer."
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch self {
        case .hostNotFound: "Check the name's spelling and its DNS."
        case .connectionRefused: "Check that the server runs and listens at that port."
        case .unreachable: "Check the address, the routes, and the firewalls on the way."
        case .timedOut(.resolving): "Check the resolver of this machine, and try again."
        case .timedOut(.connecting): "Check the address and the firewalls on the way, or allow more time."
        case .timedOut: "Allow more time, and check that the port speaks TLS from the first byte on."
        case .closed, .reset: "Look into the server's log, and at firewalls that watch for scanners; try again later."
        case .alert(let alert) where alert.rawValue == 112: "Check the name: the server has no site of it."
        case .alert: "Look into the server's log for this connection."
        case .notTLS: "Check the port; if the protocol turns to TLS only later, say which protocol it is."
        case .malformed: "Check what answers at this address, and update it."
        case .handshake: "Look into the server's log for this connection, and whether it wants a client certificate."
        case .preamble: "Check the protocol and the port, and that the server offers TLS in it."
        case .exhausted: "Ask for less, or allow more time."
        case .cancelled: "Ask again."
        }
    }
}
