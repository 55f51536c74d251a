//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import HTTPExchange
import ServerTrust
public import ServerTrustNIO
import TLSWire

/// An error of a request, with the code that URLSession uses for it, the reason and the remedy.
///
/// A response of any status is not an error. The description is meant for people.
public struct HTTPSessionError: Error, Sendable {
    /// The kind of an error.
    public enum Kind: Sendable {
        /// The URL cannot be loaded.
        case url
        /// The rules do not allow the request without TLS.
        case plainHTTP
        /// The server or a proxy is not trusted, or violates the rules of App Transport Security.
        case refused(ServerTrustGateError)
        /// The connection to the server failed.
        case connection
        /// A timeout has passed.
        case timeout
        /// The response is malformed or incomplete.
        case response
        /// There are too many redirects, or a redirect has an invalid target.
        case redirect
        /// The program's handler canceled the authentication, or the server did not prove that it knows the password.
        case authentication
        /// The content of the response cannot be decoded.
        case content
        /// The response exceeds a limit.
        case size
        /// The content of the request cannot be sent, or cannot be sent again.
        case requestBody
        /// A file cannot be read or written.
        case file
        /// The proxy cannot be reached or refuses the connection.
        case proxy
        /// The task was canceled.
        case cancelled
    }

    /// The kind of the error.
    public let kind: Kind
    /// The error code of `NSURLErrorDomain`.
    public let code: URLErrorCode
    /// The URL of the request or failed redirect, or `nil` if it cannot be read.
    public let url: HTTPURL?
    /// The reason in one sentence.
    public let reason: String
    /// The remedy in one sentence, or an empty string if the reason is sufficient.
    public let remedy: String
    /// The underlying error, or `nil` if there is none.
    public let cause: (any Error)?

    init(
        _ kind: Kind, _ code: URLErrorCode, url: HTTPURL?, reason: String, remedy: String = "",
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.code = code
        self.url = url
        self.reason = reason
        self.remedy = remedy
        self.cause = cause
    }

    /// The reason as a clause for use in another sentence.
    package var reasonClause: String {
        let reason = self.reason.hasSuffix(".") ? self.reason.dropLast() : self.reason[...]
        // A word in capitals is not changed.
        guard reason.dropFirst().first?.isLowercase == true else { return String(reason) }
        return reason.prefix(1).lowercased() + reason.dropFirst()
    }

    package var codeName: String { self.code.name }

    /// The stable name of the reason that a server is refused or not connected to, as in ``ServerTrustGateError/code``. It is `nil`
    /// for other errors.
    public var rule: String? {
        switch self.cause {
        case let refusal as ServerTrustGateError: return refusal.code
        case let failure as ConnectionFailure: return failure.code
        case let error?:
            // The handshake is over, so that the alert can only be about the client's certificate.
            let alert = TLSAlertDescription(receivedIn: error)
            return alert.map { ($0.mayDemandCertificate ? ConnectionFailure.clientCertificate($0) : .alert($0)).code }
        case nil:
            if case .plainHTTP = self.kind { return ATSViolation.insecureLoadCode }
            return nil
        }
    }

    /// `true` if trust or policy refused the server, or refused to send the request without TLS.
    public var isRefusal: Bool {
        switch self.kind {
        case .refused, .plainHTTP: true
        default: false
        }
    }
}

extension ATSVerdict {
    /// `true` if the only violations are failed connections without an answer of the server.
    fileprivate var isWithoutAnswer: Bool {
        !self.isAllowed
            && self.violations.allSatisfy { violation in
                if case .connectionFailed(let failure) = violation.reason { failure.isWithoutAnswer } else { false }
            }
    }
}

extension HTTPSessionError: CustomStringConvertible {
    /// The origin, the reason and the remedy in one line.
    public var description: String {
        let place = self.url.map { "\($0.origin): " } ?? ""
        let text = self.remedy.isEmpty ? self.reason : "\(self.reason) \(self.remedy)"
        return place + text
    }
}

extension HTTPSessionError {
    static func cancelled(_ url: HTTPURL) -> HTTPSessionError {
        HTTPSessionError(.cancelled, .cancelled, url: url, reason: "The request was cancelled.")
    }

    static func timedOut(_ url: HTTPURL, _ what: String) -> HTTPSessionError {
        HTTPSessionError(
            .timeout, .timedOut, url: url, reason: "\(what) took too long.",
            remedy: "Try again, or allow more time.")
    }

    init(_ error: ServerTrustGateError, at url: HTTPURL) {
        let isTimeout = error.urlError == .timedOut
        let kind: Kind = isTimeout ? .timeout : error.verdict.isWithoutAnswer ? .connection : .refused(error)
        let text = error.cause.flatMap { error.verdict.isAllowed ? "\($0)" : nil } ?? "\(error.verdict)"
        self.init(kind, error.urlError, url: url, reason: text, cause: error)
    }

    init(_ error: HTTPExchangeError, at url: HTTPURL) {
        switch error {
        case .message(let error):
            self.init(
                .response, error.urlError, url: url, reason: "The server is at fault: \(error).",
                remedy: error.remedy, cause: error)
        case .timedOut(let isInHead):
            self = .timedOut(url, isInHead ? "The server's answer" : "The rest of the server's answer")
        case .connection(let error, _):
            if let alert = TLSAlertDescription(receivedIn: error) {
                self.init(alert, error, at: url)
                return
            }
            self.init(
                .response, .networkConnectionLost, url: url,
                reason: "The connection broke before the response was complete.",
                remedy: "Try again. Look into the server's log if it happens again.", cause: error)
        case .violation(let violation):
            self.init(
                .response, .badServerResponse, url: url, reason: "The server is at fault: \(violation).",
                remedy: "Have the server or the application behind it corrected.", cause: violation)
        case .notProcessed(let fault):
            let what = fault.map { "\($0)" } ?? "it ended the connection"
            self.init(
                .response, .networkConnectionLost, url: url,
                reason: "The server did nothing with the request: \(what).",
                remedy: "Try again, later if the server has too much to do.", cause: error)
        case .onlyHTTP1:
            self.init(
                .response, .badServerResponse, url: url, reason: "The request cannot be sent over HTTP/2.",
                remedy: "Send it without offering HTTP/2.", cause: error)
        case .http11Required:
            self.init(
                .response, .badServerResponse, url: url, reason: "The server wants this request over HTTP/1.1.",
                remedy: "Send it without offering HTTP/2.", cause: error)
        case .closed, .answeredEarly:
            self.init(
                .response, .networkConnectionLost, url: url,
                reason: "The connection was closed before the response was complete.",
                remedy: "Try again.")
        }
    }
}

extension HTTPSessionError {
    /// Creates the error for a server that sent an alert after the handshake. In TLS 1.3, servers that require a client
    /// certificate do so.
    private init(_ alert: TLSAlertDescription, _ error: any Error, at url: HTTPURL) {
        let (code, remedy): (URLErrorCode, String) =
            switch alert {
            case .certificateRequired:
                (.clientCertificateRequired, "Give the client a certificate that the server knows the issuer of.")
            case _ where alert.isAboutCertificate:
                (
                    .clientCertificateRejected,
                    "Give the client another certificate, of an issuer that the server trusts."
                )
            default: (.networkConnectionLost, "Look into the server's log.")
            }
        self.init(
            .response, code, url: url, reason: "The server ended the connection with the alert \(alert).",
            remedy: remedy,
            cause: error)
    }
}

extension HTTPMessageError {
    fileprivate var urlError: URLErrorCode {
        switch self {
        case .noResponse, .cutInHead, .cutInContent: .networkConnectionLost
        case .headTooLarge, .tooManyFields: .dataLengthExceedsMaximum
        case .statusLine, .fieldLine, .forbiddenOctet, .contentLength, .transferCoding, .chunk, .unexpectedOctets,
            .unaskedProtocolChange:
            .badServerResponse
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .noResponse, .cutInHead, .cutInContent: "Try again. Look into the server's log if it happens again."
        case .statusLine: "Check that the port speaks HTTP, and whether it needs https."
        default: "Have the server or the application behind it corrected."
        }
    }
}

extension String {
    /// The clause or error text as a sentence that ends with one full stop.
    var asSentence: String {
        self.prefix(1).uppercased() + self.dropFirst() + (self.hasSuffix(".") || self.isEmpty ? "" : ".")
    }
}
