//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleURLLoading
import LoopbackSupport
import NIOCore
import ServerTrust
import ServerTrustNIO
import Testing

// The articles override trust of streams, too. Foundation's streams have no TLS here: a SecureStream stands in their place, and its
// trust is judged by Apple's names.

/// Listing 4: a stream to a server with another name than the one that was connected to.
func isTrusted(_ stream: SecureStream, as name: String) -> Bool {
    let trust = SecTrust(stream.peerTrust)
    guard SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, name as CFString)) == errSecSuccess else { return false }
    return isTrusted(trust)
}

/// Listing 5: a stream to a server below an anchor of the program's own.
func isTrusted(_ stream: SecureStream, below anchor: SecCertificate) -> Bool {
    let trust = SecTrust(stream.peerTrust)
    return addAnchor(anchor, to: trust) && isTrusted(trust)
}

@Suite("Streams by Apple's names", .serialized, .timeLimit(.minutes(2)))
struct StreamListingTests {
    enum Listing: Sendable, CaseIterable {
        case name, anchor

        func isTrusted(_ stream: SecureStream, _ scene: Scene) -> Bool {
            switch self {
            case .name: AppleURLLoadingTests.isTrusted(stream, as: "other.example")
            case .anchor: AppleURLLoadingTests.isTrusted(stream, below: scene.root)
            }
        }

        func anchors(_ scene: Scene) -> TrustConfiguration {
            switch self {
            case .name: .only([scene.root.certificate])
            case .anchor: .only([])
            }
        }

        var accepted: Scene.Server { self == .name ? .wrongName : .good }
    }

    @Test("A stream is written to only once its server is trusted", arguments: Listing.allCases, Scene.Server.allCases)
    func streams(listing: Listing, server: Scene.Server) async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(server)) { loopback in
            let gate = ServerTrustGate(
                ServerTrustSettings(trust: listing.anchors(scene), transportSecurity: .withoutAppTransportSecurity))
            let stream = try await SecureStream.connect(
                to: "127.0.0.1", port: loopback.number, peerName: Scene.host, gate: gate, validation: .byCaller)
            let isAccepted = listing.isTrusted(stream, scene)
            #expect(isAccepted == (server == listing.accepted))
            guard isAccepted else {
                await stream.refuse()
                #expect(loopback.octets == 0)
                return
            }
            try await stream.accept()
            try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: \(Scene.host)\r\n\r\n"))
            let answer = try await stream.read()
            #expect(answer.map { String(buffer: $0).hasSuffix("hello") } == true)
            await stream.close()
        }
    }
}
