//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport

/// Sessions and certificates for tests.
enum SessionFixture {
    static let host = "server.test"
    static let authority = Result { try TestAuthority() }
    static let chain = Result { try Self.chain() }

    static func chain(_ change: (inout CertificateDescription) -> Void = { _ in }) throws -> [TestCertificate] {
        let authority = try Self.authority.get()
        var description = CertificateDescription.leaf(dnsNames: [Self.host, "other.test"])
        change(&description)
        return [try authority.issue(description)]
    }

    /// Rules that trust the authority, and routes that lead every host to a port of 127.0.0.1.
    static func configuration(
        _ port: Int, anchors: TrustAnchors? = nil, _ change: (inout HTTPSessionConfiguration) throws -> Void = { _ in }
    ) throws -> HTTPSessionConfiguration {
        var configuration = HTTPSessionConfiguration(
            trust: ServerTrustSettings(trust: TrustConfiguration(anchors: try anchors ?? Self.authority.get().anchors)))
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
        configuration.timeouts.connect = .seconds(120)
        // The tests count connections and octets; OneAnswerTests look.
        configuration.trust.looksAtDeliveredEvidence = false
        try change(&configuration)
        return configuration
    }

    /// A session without TLS to a server on a port.
    static func plain(_ change: (inout HTTPSessionConfiguration) -> Void = { _ in }) -> HTTPSession {
        var configuration = HTTPSessionConfiguration(trust: ServerTrustSettings(trust: .only([])))
        configuration.dangerouslyAllowsPlainHTTP = true
        // Time enough where many tests share few processors.
        configuration.timeouts.connect = .seconds(120)
        change(&configuration)
        return HTTPSession(configuration)
    }
}

extension HTTPSession {
    /// The content of a response as text.
    func text(_ request: HTTPSessionRequest) async throws -> String {
        String(buffer: try await self.data(for: request).1)
    }

    func text(_ url: String) async throws -> String { try await self.text(HTTPSessionRequest(url)) }
}

extension HTTP2FrameServer {
    /// Runs a server of `server.test`.
    static func with<R>(
        settings: [TestFrame] = [.settings()], answersPings: Bool = true, _ script: @escaping Script,
        _ body: (HTTP2FrameServer) async throws -> R
    ) async throws -> R {
        try await Self.with(
            try SessionFixture.chain.get(), settings: settings, answersPings: answersPings, script, body)
    }
}
