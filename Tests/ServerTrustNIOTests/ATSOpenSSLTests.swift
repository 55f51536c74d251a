//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@Suite(
    "App Transport Security before OpenSSL's servers", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(if: OpenSSLServer.path != nil, "openssl is not installed"))
struct ATSOpenSSLTests {
    @Test("What BoringSSL does not serve is refused and let through by the same rules", arguments: peers)
    func server(peer: OpenSSLPeer) async throws {
        let chain = try peer.isWeak ? ATSFixture.chain(.rsa1024) : ATSFixture.rsa.get()
        try await OpenSSLServer.with(peer.options, settings: peer.settings, chain) { port in
            for (dictionary, strictness, expected) in peer.policies {
                let enforcement = try ATSFixture.enforcement(dictionary, strictness: strictness)
                let destination = ATSDestination(host: ATSTestClient.host, port: port)
                do {
                    let channel = try await enforcement.connect(to: destination, connectAddress: "127.0.0.1").channel
                    try? await channel.close()
                    #expect(expected == nil, "\(peer.name) under \(dictionary), \(strictness)")
                } catch let error as ServerTrustGateError {
                    #expect(
                        error.verdict.streamError?.rawValue == expected, "\(peer.name) under \(dictionary): \(error)")
                }
            }
        }
    }
}

/// How a server is started, and the code of the stream under policies; `nil` where it is let through.
struct OpenSSLPeer: Sendable, CustomTestStringConvertible {
    let name: String
    let options: [String]
    var settings = ""
    var isWeak = false
    let policies: [(String, ATSStrictness, Int32?)]

    var testDescription: String { self.name }
}

private let anyVersion = ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.0""#)
private let noPFS = ATSFixture.exception(#""NSExceptionRequiresForwardSecrecy": false"#)
private let insecure = ATSFixture.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#)
private let fcp = #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#
private let everything = #"{"NSAllowsArbitraryLoads": true}"#

private let peers: [OpenSSLPeer] = [
    OpenSSLPeer(
        name: "no extended master secret", options: ["-tls1_2"], settings: "Options = -ExtendedMasterSecret",
        policies: [(fcp, .engine, -9880), ("{}", .engine, nil), (everything, .engine, nil)]),
    OpenSSLPeer(
        name: "the extended master secret", options: ["-tls1_2"], policies: [(fcp, .engine, nil), ("{}", .engine, nil)]),
    OpenSSLPeer(
        name: "TLS 1.0 only", options: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
        policies: [("{}", .engine, -9836), (noPFS, .engine, -9836), (anyVersion, .engine, nil)]),
    OpenSSLPeer(
        name: "finite-field Diffie-Hellman only", options: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
        policies: [("{}", .engine, -9824), (noPFS, .engine, -9824), (everything, .engine, -9824)]),
    OpenSSLPeer(
        name: "static RSA only", options: ["-tls1_2", "-cipher", "AES256-GCM-SHA384:AES128-SHA"],
        policies: [("{}", .engine, -9824), (insecure, .engine, -9824), (noPFS, .engine, nil)]),
    OpenSSLPeer(
        // BoringSSL does not have these, so that what the documentation allows is refused as well.
        name: "CBC over SHA-384 only", options: ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384"],
        policies: [("{}", .engine, -9824), ("{}", .documentation, -9824)]),
    OpenSSLPeer(
        name: "CBC over SHA-256 only", options: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA256"],
        policies: [("{}", .engine, -9824), ("{}", .documentation, nil)]),
    OpenSSLPeer(
        name: "ChaCha20 of TLS 1.3 only", options: ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
        policies: [("{}", .documentation, -9882), ("{}", .engine, nil), (fcp, .engine, nil)]),
    OpenSSLPeer(
        name: "signatures over SHA-1 only",
        options: ["-tls1_2", "-sigalgs", "RSA+SHA1", "-cipher", "ALL:@SECLEVEL=0"],
        policies: [("{}", .engine, -9824), (fcp, .engine, -9824), (everything, .engine, nil)]),
    OpenSSLPeer(
        name: "RSA-1024", options: ["-cipher", "ALL:@SECLEVEL=0"], isWeak: true,
        policies: [("{}", .engine, -9807), (noPFS, .engine, -9807), (everything, .engine, -9807)]),
]
