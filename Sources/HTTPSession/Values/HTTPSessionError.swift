//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import HTTPExchange
import ServerTrust
public import ServerTrustNIO
import TLSWire

/// A request that failed: the code that URLSession has for it, why, and what to do.
///
/// A response with any status is no error. Show the description to people.
public struct HTTPSessionError: Error, Sendable {
    /// What failed.
    public enum Kind: Sendable {
        /// The URL is not one that can be loaded.
        case url
        /// The rules do not let the request be sent without TLS.
        case plainHTTP
        /// The server, or a proxy, is not trusted, or does not keep the rules of App Transport Security.
        case refused(ServerTrustGateError)
        /// There is no connection, or none to the proxy.
        case connection
        /// Something took too long.
        case timeout
        /// What the server sends is not a response, or not all of it.
        case response
        /// Redirects without end, or to no place that can be gone to.
        case redirect
        /// Credentials were refused by the program's handler, or the server does not prove that it knows them.
        case authentication
        /// The content of the response cannot be decoded.
        case content
        /// There is more of a response than the program takes.
        case size
        /// The content of the request cannot be sent again.
        case requestBody
        /// The file of a download cannot be written.
        case file
        /// The proxy refuses.
        case proxy
        /// The program ended it.
        case cancelled
    }

    /// What failed.
    public let kind: Kind
    /// The code of `NSURLErrorDomain`.
    public let code: URLErrorCode
    /// Where the request, or the redirect that failed, was to go; `nil` where that cannot be read.
    public let url: HTTPURL?
    /// What happened, in one sentence.
    public let reason: String
    /// What to do, in one sentence; empty where the reason says all.
    public let remedy: String
    /// What is behind it; `nil` where no more is known.
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

    /// The reason as a clause, for a sentence about something else.
    package var reasonClause: String {
        let reason = self.reason.hasSuffix(".") ? self.reason.dropLast() : self.reason[...]
        // A word in capitals keeps them.
        guard reason.dropFirst().first?.isLowercase == true else { return String(reason) }
        return reason.prefix(1).lowercased() + reason.dropFirst()
    }

    /// The name of ``code`` in Apple's headers.
    package var codeName: String { self.code.name }

    /// Whether trust or policy refused the server, or the request without TLS.
    public var isRefusal: Bool {
        switch self.kind {
        case .refused, .plainHTTP: true
        default: false
        }
    }
}

extension ATSVerdict {
    /// Whether nothing speaks against the server but that it did not answer.
    fileprivate var isWithoutAnswer: Bool {
        !self.isAllowed
            && self.violations.allSatisfy { violation in
                if case .connectionFailed(let failure) = violation.reason { failure.isWithoutAnswer } else { false }
            }
    }
}

extension HTTPSessionError: CustomStringConvertible {
    /// Where it was to go, what happened, and what to do, in one line.
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

    /// What the gate has against a server, or what kept the handshake from coming about.
    init(_ error: ServerTrustGateError, at url: HTTPURL) {
        let isTimeout = error.urlError == .timedOut
        let kind: Kind = isTimeout ? .timeout : error.verdict.isWithoutAnswer ? .connection : .refused(error)
        let text = error.cause.flatMap { error.verdict.isAllowed ? "\($0)" : nil } ?? "\(error.verdict)"
        self.init(kind, error.urlError, url: url, reason: text, cause: error)
    }

    /// A response that does not come.
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
    /// A server that ended the connection after the handshake, as those of TLS 1.3 do that want a certificate of the client.
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
    /// A clause, or what an error of a program says, as a sentence with one full stop.
    var asSentence: String {
        self.prefix(1).uppercased() + self.dropFirst() + (self.hasSuffix(".") || self.isEmpty ? "" : ".")
    }
}
