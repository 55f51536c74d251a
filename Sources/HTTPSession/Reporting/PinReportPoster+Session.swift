//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOSSL
import ServerTrust
import ServerTrustNIO

extension HTTPSessionConfiguration {
    /// Creates the configuration of a session for reports.
    ///
    /// Only the evaluator decides about servers, only the head of a response is read, and only the report is sent.
    init(_ configuration: PinReportPoster.Configuration) {
        var settings = ServerTrustSettings(
            trust: configuration.trust, transportSecurity: .withoutAppTransportSecurity)
        settings.evaluator = configuration.evaluator
        settings.tls = .makeClientConfigurationWithoutSHA1()
        settings.handshakeTimeout = configuration.timeout
        // A report uses one connection to its server.
        settings.looksAtDeliveredEvidence = false
        self.init(trust: settings)
        // The program chooses the URI including its scheme.
        self.dangerouslyAllowsPlainHTTP = true
        self.allowsAddress = configuration.addresses.allows
        self.decodesContent = false
        (self.timeouts.connect, self.timeouts.address) = (configuration.timeout, configuration.connectTimeout)
        (self.timeouts.head, self.timeouts.idle) = (configuration.timeout, configuration.timeout)
        self.limits.headSize = configuration.maximumAnswerSize
        // Only the poster itself may send a report again.
        self.limits.retries = 0
    }
}

extension PinReportPoster.Failure {
    /// Creates the failure of a request.
    ///
    /// - Parameters:
    ///   - error: The error of the request.
    ///   - url: The URL of the report server.
    ///   - isOver: `true` if the time limit of the report has passed.
    init(_ error: HTTPSessionError, at url: HTTPURL, isOver: Bool) {
        let refusal = error.cause as? ServerTrustGateError
        if let failure = refusal?.cause as? ServerTrustFailure {
            self.init(failure)
        } else if let cause = refusal?.cause, refusal?.isOfCertificates == true {
            self = .unreadable("\(cause)")
        } else {
            self.init(ResourceError(error, at: url, isOver: isOver))
        }
    }
}

extension ResourceError {
    fileprivate init(_ error: HTTPSessionError, at url: HTTPURL, isOver: Bool) {
        switch error.kind {
        case .cancelled: self.init(.cancelled, "it was cancelled")
        case .timeout where isOver: self.init(.timedOut, "it took too long")
        case _ where error.isOfForbiddenAddress:
            self.init(.forbiddenAddress, "the address of \(url.host) is not a public address")
        case _ where error.cause is ServerTrustGateError: self.init(ofHandshake: error)
        case .connection, .timeout:
            self.init(.unreachable, "there is no connection to \(url.host), port \(url.port)")
        default: self.init(ofAnswer: error)
        }
    }

    private init(ofHandshake error: HTTPSessionError) {
        let cause = (error.cause as? ServerTrustGateError)?.cause
        let detail = cause.flatMap { TransportErrorText.reasons(of: $0) } ?? error.reasonClause
        self.init(.badAnswer, "the TLS handshake failed (\(detail))")
    }

    private init(ofAnswer error: HTTPSessionError) {
        switch error.cause {
        case let fault as HTTPMessageError: self.init(fault)
        case nil: self.init(.badAnswer, Self.cut)
        default: self.init(.badAnswer, "the connection failed (\(error.reasonClause))")
        }
    }
}
