//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPSession
import ServerReports
import ServerTrust
import ServerTrustNIO

/// Why a client does not get what it asked for.
struct Refusal: Error, Sendable {
    /// What people and programs are told.
    var answer: RefusalAnswer
    /// What RFC 9209 calls it.
    let proxyStatus: String
    /// Whether the client is to show a user and a password.
    var asksForCredential = false

    /// Whether trust or policy refuses a server.
    var isOfTrust: Bool { self.answer.isRefusal }

    /// Fields that keep a page of the proxy from being taken for the server's, from being kept, and from running anything.
    var fields: [(name: String, value: String)] {
        let fields = [
            ("Proxy-Status", "servertrust; error=\(self.proxyStatus)"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ]
        // RFC 7617 §2.1: the password is sent in UTF-8.
        let challenge = [("Proxy-Authenticate", "Basic realm=\"servertrust proxy\", charset=\"UTF-8\"")]
        return self.asksForCredential ? fields + challenge : fields
    }
}

extension Refusal {
    /// The refusal in the words of the program that the proxy is part of.
    func spelled(by spelling: RemedySpelling) -> Refusal {
        var refusal = self
        refusal.answer.remedy = spelling.text(self.answer.remedy, codes: [self.answer.code])
        refusal.answer.explanation = spelling.explaining.flatMap { command in
            self.answer.explained.map { "\(command) \($0)" }
        }
        return refusal
    }

    /// A request that the proxy does not carry out, whatever the server.
    init(
        _ status: Int, _ code: RefusalCode, reason: String, remedy: String,
        proxyStatus: String = "http_request_denied"
    ) {
        self.init(status, code: code.rawValue, reason: reason, remedy: remedy, proxyStatus: proxyStatus)
    }

    private init(_ status: Int, code: String, reason: String, remedy: String, proxyStatus: String) {
        let title = status == 403 ? "The proxy does not connect there" : "The proxy cannot carry out this request"
        self.answer = RefusalAnswer(
            status: status, title: title, reason: reason, remedy: remedy, code: code, isRefusal: false)
        self.answer.explained = code
        self.proxyStatus = proxyStatus
    }

    /// A server that is the proxy.
    static func ownAddress(_ reason: String) -> Refusal {
        Refusal(
            403, .ownAddress, reason: reason, remedy: "Name the server that the program is to reach.",
            proxyStatus: "destination_ip_prohibited")
    }

    /// What a client sends that is no request, or more than one.
    init(_ error: HTTPRequestError) {
        self.init(
            error.status, .badRequest, reason: error.description,
            remedy: "Have the program that sent it corrected.", proxyStatus: "http_request_error")
    }

    /// What a session has against a server, or what failed on the way to it.
    init(_ error: HTTPSessionError) {
        // What the client sent, and not the server, is at fault.
        if let fault = error.cause as? HTTPRequestError {
            self.init(fault)
            return
        }
        switch error.kind {
        case .refused(let refusal) where Self.isOfUpstream(refusal, error.url): self.init(upstream: refusal, error)
        case .refused(let refusal): self.init(error, refusal)
        case .plainHTTP:
            self.init(error, error.cause as? ServerTrustGateError)
            self.answer.remedy += " Or have the proxy let programs load from every host without TLS."
        case .connection where error.isOfForbiddenAddress:
            self.init(
                403, .localAddress,
                reason: "\(error.reason) It is an address of the machine that the proxy runs on.",
                remedy: "Have the proxy allow local addresses to let programs reach it.",
                proxyStatus: "destination_ip_prohibited")
        case .proxy where error.code == .userAuthenticationRequired: self = .upstreamAsks
        default: self.init(failure: error)
        }
        self.answer.server = error.url.map { "\($0.origin)" } ?? ""
    }

    private init(_ error: HTTPSessionError, _ refusal: ServerTrustGateError?) {
        let finding = FirstReason(refusal)
        self.answer = RefusalAnswer(
            status: 403, title: "This server is refused", reason: finding?.reason ?? error.reason,
            remedy: finding?.remedy ?? error.remedy, code: finding?.code ?? RefusalCode.custom.rawValue, isRefusal: true
        )
        (self.answer.urlError, self.answer.streamError) = (error.code, refusal?.verdict.streamError)
        self.answer.explained = self.answer.code
        self.proxyStatus = error.url?.scheme == .http ? "http_request_denied" : "tls_certificate_error"
    }

    /// Whether it is the proxy on the way to a server that is refused.
    private static func isOfUpstream(_ refusal: ServerTrustGateError, _ url: HTTPURL?) -> Bool {
        guard let url else { return false }
        let (place, server) = (refusal.destination, url.origin.destination)
        return place.scheme != server.scheme || place.host != server.host || place.port != server.port
    }

    /// The server itself is not judged yet: nothing is said about it.
    private init(upstream refusal: ServerTrustGateError, _ error: HTTPSessionError) {
        let finding = FirstReason(refusal)
        let place = refusal.destination
        let reason = finding?.reason ?? error.reason
        self.init(
            502, code: finding?.code ?? RefusalCode.custom.rawValue,
            reason: "The upstream proxy \(place.host), port \(place.port), is refused: \(reason)",
            remedy: finding?.remedy ?? error.remedy, proxyStatus: "tls_certificate_error")
    }

    /// A TRACE that ends at this proxy, which would show what the client sends with each request (RFC 9110 §9.3.8).
    static let reflection = Refusal(
        501, .requestReflection, reason: "The request is to end at this proxy, which does not send requests back.",
        remedy: "Leave Max-Forwards out, so that the server answers.")

    /// A request of HTTP/1.0, whose client could not tell a response that is cut from one that ends.
    static let oldVersion = Refusal(
        505, .badRequest,
        reason: "The request is one of HTTP/1.0, whose clients cannot tell a whole response from one that is cut.",
        remedy: "Have the program use HTTP/1.1.", proxyStatus: "http_request_error")

    /// What an upstream proxy asks for is nothing that a client can show it (RFC 9110 §11.7.2).
    static let upstreamAsks = Refusal(
        502, .upstreamCredential,
        reason: "The upstream proxy asks for a user and a password, or refuses those that it got.",
        remedy: "Give the proxy a user and a password for the upstream proxy.", proxyStatus: "proxy_configuration_error"
    )

    /// The client shows no user and password, or others (RFC 9110 §15.5.8).
    static let credential: Refusal = {
        var refusal = Refusal(
            407, .clientCredential,
            reason: "The proxy asks for a user and a password, or does not know those that it got.",
            remedy: "Give them to the program: http://USER:PASSWORD@ADDRESS:PORT for instance.",
            proxyStatus: "http_request_denied")
        refusal.asksForCredential = true
        return refusal
    }()

    private init(failure error: HTTPSessionError) {
        let isTimeout = error.code == .timedOut
        self.proxyStatus =
            switch error.code {
            case .timedOut: "connection_timeout"
            case .cannotFindHost: "dns_error"
            case .cannotConnectToHost: "destination_unavailable"
            case .badServerResponse: "http_protocol_error"
            case .secureConnectionFailed: "connection_terminated"
            default: "http_response_incomplete"
            }
        self.answer = RefusalAnswer(
            status: isTimeout ? 504 : 502, title: "The server cannot be reached, or does not answer",
            reason: error.reason, remedy: error.remedy,
            code: (isTimeout ? RefusalCode.timeout : .noResponse).rawValue, isRefusal: false)
        self.answer.urlError = error.code
        self.answer.explained = "\(error.code.rawValue)"
    }
}

extension ProxiedRequest {
    /// Notes why the client does not get what it asked for.
    mutating func note(_ refusal: Refusal) {
        self.verdict = refusal.isOfTrust ? .refused : .failed
        self.status = refusal.answer.status
        self.rule = refusal.answer.code
        self.reason = refusal.answer.reason
        self.remedy = refusal.answer.remedy
        self.appleCode = refusal.answer.urlError?.rawValue
    }
}

/// What speaks against a server first, in the words of the rule.
private struct FirstReason {
    let code, reason, remedy: String

    /// `nil` where the program's own evaluator, or nothing, gives a reason.
    init?(_ refusal: ServerTrustGateError?) {
        guard let violation = refusal?.verdict.primary else {
            guard let failure = refusal?.cause as? ServerTrustFailure else { return nil }
            self.code = failure.code
            self.reason = failure.message
            self.remedy = failure.remedy
            return
        }
        // The rule of the chain says more than that the chain is not trusted.
        if case .untrusted(let failure) = violation.reason {
            (self.code, self.reason, self.remedy) = (
                failure.primary.code, failure.primary.message, failure.primary.remedy.advice
            )
        } else {
            self.code = violation.code
            self.reason = violation.message
            self.remedy = violation.remedy
        }
    }
}
