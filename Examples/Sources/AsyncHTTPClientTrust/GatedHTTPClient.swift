//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// async-http-client has no hook for a judgment within the handshake. This adapter uses the callbacks that it has for
// debugging. Over HTTP/1.1 they run after the handshake and before a byte of a request is sent; over HTTP/2 the preface has been
// sent by then, so that HTTP/2 is not offered.
//
// What this cannot do:
// - accept: NIOSSL has judged the server by its own rules before, with the roots given here;
// - see the intermediates that the server sent: name those you expect, or the server is refused;
// - keep a certificate of the client from a server that NIOSSL trusts and the gate does not;
// - see the cipher suite and the extended master secret;
// - promise to work with another version: the callbacks are for debugging, and may be called at another time there.
// Refused connections are tried again until `timeout.connect` is over, and the request then fails with the gate's error.

import AppTransportSecurity
import AsyncHTTPClient
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO

extension HTTPClient.Configuration {
    /// A configuration for requests to one host, whose every connection is judged by the gate. It can only refuse.
    ///
    /// Requests to other hosts, redirects to them included, are refused, as the server's certificate is not for the host.
    /// Plain HTTP is not judged by async-http-client's callbacks: call `gate.check` for every URL.
    ///
    /// - Parameters:
    ///   - gate: What is trusted and enforced. Its settings must have no handler.
    ///   - destination: What certificates must be for.
    ///   - roots: The roots that NIOSSL verifies with. Those that the gate does not trust are refused after.
    ///   - intermediates: What the server is expected to send besides its own certificate.
    /// - Throws: `ServerTrustGateError` if there can be no such connection.
    public static func gated(
        by gate: ServerTrustGate, for destination: ATSDestination, roots: [Certificate], intermediates: [Certificate]
    ) throws -> HTTPClient.Configuration {
        var tls = try gate.tlsConfiguration(for: destination)
        tls.certificateVerification = .fullVerification
        tls.trustRoots = .certificates(
            try roots.map { try NIOSSLCertificate(bytes: $0.derRepresentation, format: .der) })
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                _ = try gate.checkPeer(of: channel, for: destination, intermediates: intermediates)
            }.flatMapError { error in
                // async-http-client does not close what the callback refuses, and must not hear of it before it is closed.
                channel.close(promise: nil)
                return channel.closeFuture.flatMapThrowing { throw error }
            }
        }
        return configuration
    }
}
