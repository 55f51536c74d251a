//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import TLSWire
import Testing

@testable import HTTPSession
@testable import ServerTrustNIO

@Suite("Handshakes that do not come about")
struct LostConnectionTests {
    private static let failures: [(failure: ATSConnectionFailure, isRefusal: Bool)] = [
        (.alert(.handshakeFailure), true), (.alert(.protocolVersion), true), (.nothingInCommon, true),
        (.protocolError, true), (.notTLS, true), (.tooMuch, true), (.closed, false), (.alert(.internalError), false),
        (.timedOut, false),
        (.notConnected, false), (.hostNotFound, false), (.keyUsage(missing: .digitalSignature), true),
        (.clientCertificate(.handshakeFailure), false), (.clientCertificate(.badCertificate), false),
    ]

    @Test("One connection that is lost is no refusal", arguments: failures)
    func lost(failure: ATSConnectionFailure, isRefusal: Bool) throws {
        let destination = ATSDestination(host: "a.test", scheme: .https, port: 443)
        let requirements = ATSPolicy(ATSDictionary()).requirements(for: destination)
        let error = ServerTrustGateError(destination, requirements.verdict(on: .failed(failure)))
        let told = HTTPSessionError(error, at: try HTTPURL("https://a.test/"))
        #expect(told.isRefusal == isRefusal && told.code == error.urlError, "\(told)")
    }
}
