// The listings of Apple's "Overriding TLS Chain Validation Correctly": another anchor, another name, and streams.

import NIOCore
import ServerTrust
import ServerTrustNIO

// snippet.anchor
func addingAnchor(_ trust: Trust, _ ourRoot: Certificate) -> Trust {
    var trust = trust
    trust.anchors.add(ourRoot)
    return trust
}
// snippet.end

// snippet.name
func changingHost(_ trust: Trust, _ hostname: String) -> Trust {
    var trust = trust
    trust.policies = [.tlsServer(hostname: hostname)]
    return trust
}
// snippet.end

// snippet.handler
struct TrustsOurRoot: ServerTrustHandler {
    let ourRoot: Certificate

    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
        let trust = addingAnchor(challenge.trust, self.ourRoot)
        guard trust.evaluate().isTrusted else { return .cancelAuthenticationChallenge(nil) }
        return .useCredential(ServerTrustCredential(trust: challenge.trust))
    }
}
// snippet.end

func evaluateForAnotherName(_ address: String) async throws -> SecureStream? {
    // snippet.stream
    // The chain is left to the program: App Transport Security would refuse it before the program is asked.
    let gate = ServerTrustGate(
        ServerTrustSettings(trust: try .system(), transportSecurity: .withoutAppTransportSecurity))

    // The handshake stops at the server's certificates. The stream can be neither read nor written.
    let stream = try await SecureStream.connect(to: address, port: 993, gate: gate, validation: .byCaller)

    var trust = stream.peerTrust
    trust.policies = [.tlsServer(hostname: "mail.example.com")]
    guard trust.evaluate().isTrusted else {
        await stream.refuse()  // nothing was sent but the ClientHello
        return nil
    }
    try await stream.accept()
    try await stream.write(ByteBuffer(string: "a1 CAPABILITY\r\n"))
    // snippet.end
    return stream
}

func evaluateWithAnchor(_ stream: SecureStream, _ ourRoot: Certificate) async throws {
    // snippet.streamAnchor
    var trust = stream.peerTrust
    trust.anchors = .only([ourRoot])
    guard trust.evaluate().isTrusted else { return await stream.refuse() }
    try await stream.accept()
    // snippet.end
}

func withoutOverriding(_ ourRoot: Certificate) async throws {
    // snippet.automatic
    // The same by settings, which is shorter and leaves the decision to the rules.
    let gate = ServerTrustGate(ServerTrustSettings(trust: .only([ourRoot])))
    let stream = try await SecureStream.connect(
        to: "192.0.2.1", port: 993, peerName: "mail.example.com", gate: gate)
    for try await octets in stream.octets { print(octets.readableBytes) }
    // snippet.end
}
