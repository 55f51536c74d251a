//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSWire
import Testing

@testable import HTTPSession
@testable import ServerTrustNIO

@Suite("Handshakes that do not come about")
struct LostConnectionTests {
    private static let failures: [(failure: ConnectionFailure, isRefusal: Bool)] = [
        (.alert(.handshakeFailure), true), (.alert(.protocolVersion), true), (.handshake("", .nothingInCommon), true),
        (.handshake("", .brokenRule), true), (.violation(.badSignature), true), (.notTLS(beginning: ""), true),
        (.malformed(.tooManyCertificates), true), (.handshake("", .keyUsage(nil)), true), (.closed, false),
        (.reset, false), (.alert(.internalError), false), (.handshake("", .otherError), false),
        (.timedOut(.silent), false), (.connectionRefused, false), (.hostNotFound, false),
        (.clientCertificate(.handshakeFailure), false), (.clientCertificate(.badCertificate), false),
    ]

    @Test("One connection that is lost is no refusal", arguments: failures)
    func lost(failure: ConnectionFailure, isRefusal: Bool) throws {
        let destination = ATSDestination(host: "a.test", scheme: .https, port: 443)
        let requirements = ATSPolicy(ATSDictionary()).requirements(for: destination)
        let error = ServerTrustGateError(
            destination,
            requirements.verdict(on: .failed(failure)))
        let told = HTTPSessionError(error, at: try HTTPURL("https://a.test/"))
        #expect(told.isRefusal == isRefusal && told.code == error.urlError, "\(told)")
    }
}
