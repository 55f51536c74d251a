// The shortest programs: judge a chain, send a request with pins, gate a connection.

import AppTransportSecurity
import HTTPSession
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO

func judge(_ chain: String) throws {
    // snippet.evaluate
    let result = try Trust(pem: chain, host: "api.example.com").evaluate()
    print(result.failure?.description ?? "trusted")
    // snippet.end
}

func send(pin: String, backup: String) async throws {
    // snippet.session
    let session = try HTTPSession(pins: ["api.example.com": [pin, backup]])
    let (response, content) = try await session.data(from: "https://api.example.com/v1")
    // snippet.end
    print(response.status, content.readableBytes)
}

func gate(_ destination: ATSDestination, _ group: any EventLoopGroup) async throws {
    // snippet.gate
    let bootstrap = ClientBootstrap(group: group).channelInitializer(ServerTrustGate().initializer(for: destination))
    let channel = try await bootstrap.connect(host: destination.host, port: destination.port).get()
    // snippet.end
    try await channel.close()
}
