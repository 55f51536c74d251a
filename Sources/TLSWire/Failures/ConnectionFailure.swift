//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that there is no connection to a server, or no clear answer from it.
///
/// Each failure has a stable ``code`` for programs, and a ``message`` and a ``remedy`` for a person. ``starved`` and ``cancelled``
/// come from this machine and give no information about the server.
public enum ConnectionFailure: Error, Sendable, Hashable {
    /// The name has no address.
    case hostNotFound
    /// No name server answered the query, which may be temporary.
    case lookupFailed
    /// The rules of the caller allow no address of the host.
    case forbiddenAddress
    /// No server listens at the port.
    case connectionRefused
    /// The network has no route to the address. The text is the system's reason.
    case unreachable(String)
    /// The server sent nothing, or not enough, in time.
    case timedOut(Phase)
    /// The server closed the connection without an answer.
    case closed
    /// The connection was reset without an answer.
    case reset
    /// This machine has no file descriptor left for a connection. The server is not the reason.
    case starved
    /// The server ended the handshake with an alert.
    case alert(TLSAlertDescription)
    /// The server ended the handshake with an alert after the client accepted its certificate. It requires a client certificate.
    case clientCertificate(TLSAlertDescription)
    /// The answer is not TLS. The text is its beginning in printable characters.
    case notTLS(beginning: String)
    /// The answer cannot be parsed as TLS, or is more than is read of one.
    case malformed(FlightError)
    /// The server's messages can be parsed but break the rules of TLS.
    case violation(HandshakeError)
    /// A TLS library ended the handshake. The text is its reason.
    case handshake(String, Fault = .unknown)
    /// The server completed a handshake without a certificate.
    case noCertificate
    /// The connection ended before TLS could begin. The text is the reason, and `mayPass` is `true` if it may be temporary.
    case preamble(String, mayPass: Bool = false)
    /// The server did not let TLS begin in the protocol before it.
    case startTLS(StartTLSRefusal)
    /// The proxy cannot be reached, or did not connect to the server.
    case proxy(ProxyRefusal)
    /// The server used up the connections or the time that the caller allows for one server.
    case exhausted
    /// The caller ended the attempt.
    case cancelled

    /// The phase of a connection in which the time ran out.
    public enum Phase: Sendable, Hashable {
        /// The lookup of the name.
        case resolving
        /// The connection to an address.
        case connecting
        /// The wait for the server's greeting in the protocol before TLS.
        case greeting(StartTLSProtocol)
        /// The wait for an answer in the protocol before TLS. The text is the client's command or request.
        case beforeTLS(unanswered: String)
        /// The wait for the first byte of the answer to a ClientHello.
        case silent
        /// The wait for the rest of the answer.
        case underWay

        var code: String {
            switch self {
            case .resolving: "timed-out-resolving"
            case .connecting: "timed-out-connecting"
            case .greeting, .beforeTLS: "timed-out-before-tls"
            case .silent: "timed-out-silent"
            case .underWay: "timed-out-under-way"
            }
        }
    }

    /// The fault of a server for which a TLS library ended a handshake.
    public enum Fault: Sendable, Hashable {
        /// The fault is known only from the library's text.
        case unknown
        /// The server chose a value that was not offered, or accepts nothing that was offered.
        case nothingInCommon
        /// The server sent more than the limit of a handshake.
        case tooMuch
        /// The key usage of the server's certificate does not allow its key's use in the handshake (RFC 5280 §4.2.1.3, RFC 8446
        /// §4.4.2.2). The suite determines that use, and is `nil` if the server's choice is not known.
        case keyUsage(CipherSuite?)
        /// The handshake breaks a rule of TLS.
        case brokenRule
        /// The error is not one of TLS.
        case otherError
    }

    /// The alert from the server, or `nil` if the failure is another one.
    public var alert: TLSAlertDescription? {
        switch self {
        case .alert(let alert), .clientCertificate(let alert): alert
        default: nil
        }
    }
}

// MARK: - The one table of codes, messages and remedies

extension ConnectionFailure {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .hostNotFound: "host-not-found"
        case .lookupFailed: "lookup-failed"
        case .forbiddenAddress: "forbidden-address"
        case .connectionRefused: "connection-refused"
        case .unreachable: "unreachable"
        case .timedOut(let phase): phase.code
        case .closed: "closed"
        case .reset: "reset"
        // The server supports none of the offered versions (RFC 8446 §6.2). The same code as that of a version it chose.
        case .alert(.protocolVersion): "tls-version-too-old"
        case .alert(let alert): Self.alertsAboutOffers.contains(alert) ? "alert" : "inconclusive-alert"
        // The same code as that of the note about a server that only asks.
        case .clientCertificate: "client-certificate-requested"
        case .notTLS: "not-tls"
        case .malformed(let error) where error.isAboutLimit: "limit-exceeded"
        case .handshake(_, .tooMuch): "limit-exceeded"
        case .malformed, .violation, .handshake(_, .brokenRule): "malformed"
        // The same code as that of the rule for chains.
        case .handshake(_, .keyUsage): "key-usage"
        case .handshake: "handshake"
        case .noCertificate: "no-certificate"
        case .preamble, .startTLS: "preamble"
        case .proxy: "proxy"
        case .exhausted: "exhausted"
        // Both come from this machine and give no information about the server.
        case .starved, .cancelled: "cancelled"
        }
    }

    /// The failure in one sentence.
    public var message: String {
        switch self {
        case .hostNotFound: "The name has no address."
        case .lookupFailed: "The name could not be looked up: no name server gave an answer."
        case .forbiddenAddress: "The host has no address that may be connected to."
        case .connectionRefused: "Nothing listens at the port."
        case .unreachable(let reason): "There is no way to the server: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .timedOut(.resolving): "Looking up the name took too long."
        case .timedOut(.connecting): "Connecting took too long."
        case .timedOut(.greeting(let spoken)):
            "The server accepted the connection and sent no \(spoken.title) greeting in time."
        case .timedOut(.beforeTLS(let unanswered)): "The server did not answer \(unanswered) in time."
        case .timedOut(.silent):
            "The server accepted the connection and did not answer the client's first TLS message, the ClientHello, in time."
        case .timedOut(.underWay): "The server began to answer and did not finish in time."
        case .closed: "The server closed the connection without an answer."
        case .reset: "The connection was reset without an answer."
        case .starved: "This machine has no descriptor left for a connection."
        case .alert(let alert) where Self.alertsAboutOffers.contains(alert):
            "The server ended the handshake with the alert \(alert)."
        case .alert(let alert):
            "The server ended the handshake with the alert \(alert), which says nothing about the offer."
        case .clientCertificate(let alert):
            "The server asks for a client certificate: it accepted none, and ended the handshake with the alert \(alert)."
        case .notTLS(""): "The server does not answer in TLS."
        case .notTLS(let beginning): "The server does not answer in TLS. Its answer begins “\(beginning)”."
        case .malformed(let error): "The server's answer \(error.summary): \(error.message)"
        case .violation(let error): "The server's handshake breaks the rules of TLS: \(error.message)"
        case .handshake(_, .keyUsage(let suite)):
            "The key of the server's certificate may not be used for this: its key usage lacks "
                + (suite?.keyExchange == .rsa
                    ? "keyEncipherment, which the exchange of keys by RSA needs (RFC 5246 §7.4.2)."
                    : "digitalSignature.")
        case .handshake(let reason, .nothingInCommon):
            "The server and the client have no version, cipher suite or signature of TLS in common"
                + (reason.isEmpty ? "." : " (\(reason)).")
        case .handshake(let reason, .tooMuch): "The server's answer is more than is read: \(reason)."
        case .handshake(let reason, .brokenRule): "The server's handshake breaks the rules of TLS: \(reason)."
        case .noCertificate: "The handshake ended without a certificate of the server."
        case .handshake(let reason, _): "The handshake failed: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .preamble(let reason, _):
            "It did not get as far as TLS: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .startTLS(let refusal): Self.preamble("\(refusal)").message
        case .proxy(let refusal): Self.preamble("\(refusal)").message
        case .exhausted: "The server used up the connections or the time that one server may cost."
        case .cancelled: "The probe was ended before there was an answer."
        }
    }

    /// The remedy in one sentence.
    public var remedy: String {
        switch self {
        case .hostNotFound: "Check the name's spelling and its DNS."
        case .lookupFailed: "Check the resolver of this machine and its network, and try again."
        case .forbiddenAddress: "Check the address of the name, and the addresses that are allowed here."
        case .connectionRefused: "Check that the server runs and listens at that port."
        case .unreachable: "Check the address, the routes, and the firewalls on the way."
        case .timedOut(.resolving): "Check the resolver of this machine, and try again."
        case .timedOut(.connecting): "Check the address and the firewalls on the way, or allow more time."
        case .timedOut(.greeting(let spoken)):
            "Check that the port is one of \(spoken.title), and that the server is not overloaded. If it delays its "
                + "greeting, allow more time."
        case .timedOut(.beforeTLS): "Look into the server's log for this connection, and allow more time."
        case .timedOut:
            "Allow more time, and check that the port speaks TLS, or the protocol that was named, from the first byte on."
        case .closed, .reset: "Look into the server's log, and at firewalls that watch for scanners. Try again later."
        case .alert(let alert): alert.remedy ?? "Look into the server's log for this connection."
        case .clientCertificate(let alert):
            alert.isAboutCertificate
                ? "Give the client another certificate, of an issuer that the server trusts."
                : "Give the client a certificate that the server knows the issuer of."
        case .notTLS: "Check the port. If the protocol turns to TLS only later, say which protocol it is."
        case .malformed(let error) where error.isAboutLimit: Self.remedyOfLimit
        case .handshake(_, .tooMuch): Self.remedyOfLimit
        case .malformed, .violation, .handshake(_, .brokenRule):
            "Check what answers at this address, and update it."
        case .noCertificate: "Configure the server with a certificate: without one there is nothing to judge."
        case .handshake(_, .nothingInCommon): "Offer TLS 1.2 or 1.3 with ECDHE and AES-GCM at the server."
        case .handshake(_, .keyUsage(let suite)):
            suite?.keyExchange == .rsa
                ? "Have the server take cipher suites with ECDHE, or have the certificate issued anew with keyEncipherment in its "
                    + "key usage."
                : "Have the certificate issued anew with digitalSignature in its key usage."
        case .handshake: "Look into the server's log for this connection, and whether it wants a client certificate."
        case .preamble: "Check the protocol and the port, and that the server offers TLS in it."
        case .startTLS(let refusal): refusal.advice
        case .proxy(let refusal): refusal.advice
        case .starved: "Allow this process more open files, or ask for less at once."
        case .exhausted: "Ask for less, or allow more time."
        case .cancelled: "Ask again."
        }
    }
}

extension ConnectionFailure {
    private static let remedyOfLimit = "Configure the server to send its own certificate and its intermediates alone."

    /// A server and a client without a common parameter, as the facts about both show it.
    package static let nothingInCommon = ConnectionFailure.handshake("", .nothingInCommon)

    /// One failure of each kind that a report about a server may have, for lists of codes.
    package static let oneOfEach: [ConnectionFailure] = [
        .hostNotFound, .lookupFailed, .connectionRefused, .unreachable("the system's reason follows."),
        .timedOut(.resolving), .timedOut(.connecting), .timedOut(.greeting(.smtp)), .timedOut(.silent),
        .timedOut(.underWay), .closed, .reset, .alert(.handshakeFailure), .alert(.internalError),
        .notTLS(beginning: ""), .malformed(.emptyRecord), .malformed(.tooManyCertificates), .noCertificate,
        .handshake("the TLS library's reason follows."), .preamble("its reason follows."),
        .proxy(ProxyRefusal(Proxy(.http, at: "proxy.example", port: 3_128), .closed)), .exhausted, .cancelled,
    ]
}

extension ConnectionFailure {
    /// The alerts that concern the offer of a hello (RFC 8446 §6.2, RFC 6066 §3, RFC 7301 §3.2).
    private static let alertsAboutOffers: Set<TLSAlertDescription> = [
        .handshakeFailure, .illegalParameter, .protocolVersion, .insufficientSecurity, .unrecognizedName,
        .noApplicationProtocol,
    ]
}

extension ConnectionFailure: CustomStringConvertible {
    /// The failure in one sentence.
    public var description: String { self.message }
}
