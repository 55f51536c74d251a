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

/// The reason that a client's request is not carried out.
struct Refusal: Error, Sendable {
    /// The explanation for people and programs.
    var answer: RefusalAnswer
    /// The error type of the Proxy-Status field (RFC 9209).
    let proxyStatus: String
    var asksForCredential = false
    /// The code of the remedy, or `nil` for the code of the answer.
    private var advised: RefusalCode?

    var isOfTrust: Bool { self.answer.isRefusal }

    /// The fields that mark the response as the proxy's and prevent caching and script execution.
    var fields: [(name: String, value: String)] {
        let fields = [
            ("Proxy-Status", "servertrust; error=\(self.proxyStatus)"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ]
        // The charset parameter asks for passwords in UTF-8 (RFC 7617 §2.1).
        let challenge = [("Proxy-Authenticate", "Basic realm=\"servertrust proxy\", charset=\"UTF-8\"")]
        return self.asksForCredential ? fields + challenge : fields
    }
}

extension Refusal {
    func spelled(by spelling: RemedySpelling) -> Refusal {
        var refusal = self
        refusal.answer.remedy = spelling.text(self.answer.remedy, codes: [self.advised?.rawValue ?? self.answer.code])
        refusal.answer.explanation = spelling.explaining.flatMap { command in
            self.answer.explained.map { "\(command) \($0)" }
        }
        return refusal
    }

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

    static func ownAddress(_ reason: String) -> Refusal {
        Refusal(
            403, .ownAddress, reason: reason, remedy: "Name the server that the program is to reach.",
            proxyStatus: "destination_ip_prohibited")
    }

    init(_ error: HTTPRequestError) {
        self.init(
            error.status, .badRequest, reason: error.description,
            remedy: "Have the program that sent it corrected.", proxyStatus: "http_request_error")
    }

    init(_ error: HTTPSessionError) {
        // The error is in the client's request, not in the server.
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

    private static func isOfUpstream(_ refusal: ServerTrustGateError, _ url: HTTPURL?) -> Bool {
        guard let url else { return false }
        let (place, server) = (refusal.destination, url.origin.destination)
        return place.scheme != server.scheme || place.host != server.host || place.port != server.port
    }

    /// Creates the refusal of an upstream proxy. The server itself was not evaluated.
    private init(upstream refusal: ServerTrustGateError, _ error: HTTPSessionError) {
        let finding = FirstReason(refusal)
        let place = refusal.destination
        let reason = finding?.reason ?? error.reason
        self.init(
            502, code: finding?.code ?? RefusalCode.custom.rawValue,
            reason: "The upstream proxy \(place.host), port \(place.port), is refused: \(reason)",
            remedy: finding?.remedy ?? error.remedy, proxyStatus: "tls_certificate_error")
    }

    /// The refusal of a TRACE that ends at this proxy, because its response would reveal what the client sends (RFC 9110 §9.3.8).
    static let reflection = Refusal(
        501, .requestReflection, reason: "The request is to end at this proxy, which does not send requests back.",
        remedy: "Leave Max-Forwards out, so that the server answers.")

    /// The refusal of an HTTP/1.0 request, because an HTTP/1.0 client could not detect a truncated response.
    static let oldVersion = Refusal(
        505, .badRequest,
        reason: "The request is one of HTTP/1.0. Clients of that cannot tell a whole response from one that is cut.",
        remedy: "Have the program use HTTP/1.1.", proxyStatus: "http_request_error")

    /// The refusal for an upstream proxy's challenge, which a client cannot answer (RFC 9110 §11.7.2).
    static let upstreamAsks = Refusal(
        502, .upstreamCredential,
        reason: "The upstream proxy asks for a user and a password, or refuses those that it got.",
        remedy: "Give the proxy a user and a password for the upstream proxy.", proxyStatus: "proxy_configuration_error"
    )

    /// The refusal of a client without a valid user name and password (RFC 9110 §15.5.8).
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
        let code = isTimeout ? RefusalCode.timeout : .noResponse
        self.answer = RefusalAnswer(
            status: isTimeout ? 504 : 502, title: "The server cannot be reached, or does not answer",
            reason: error.reason, remedy: error.remedy, code: error.rule ?? code.rawValue, isRefusal: false)
        self.advised = code
        self.answer.urlError = error.code
        self.answer.explained = "\(error.code.rawValue)"
    }
}

extension ProxiedRequest {
    mutating func note(_ refusal: Refusal) {
        self.verdict = refusal.isOfTrust ? .refused : .failed
        self.status = refusal.answer.status
        self.rule = refusal.answer.code
        self.reason = refusal.answer.reason
        self.remedy = refusal.answer.remedy
        self.appleCode = refusal.answer.urlError?.rawValue
    }
}

/// The first violation of a refused server, in the words of its rule.
private struct FirstReason {
    let code, reason, remedy: String

    /// Creates the reason, or returns `nil` if the program's own evaluator refused the server or if there is no reason.
    init?(_ refusal: ServerTrustGateError?) {
        guard let violation = refusal?.verdict.primary else {
            guard let failure = refusal?.cause as? ServerTrustFailure else { return nil }
            self.code = failure.code
            self.reason = failure.message
            self.remedy = failure.remedy
            return
        }
        self.code = violation.rule
        self.reason = violation.message
        self.remedy = violation.remedy
    }
}
