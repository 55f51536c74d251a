// Connect as an app with an Info.plist would: what App Transport Security refuses fails before a byte is sent.

import AppTransportSecurity
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO

func enforceTransportSecurity(_ url: String, _ group: any EventLoopGroup) async throws {
    // snippet.show
    // Once, for the program.
    let policy = ATSPolicy(try InfoPropertyList(contentsOf: "Info.plist"))
    let gate = ServerTrustGate(
        ServerTrustSettings(trust: try .system(), transportSecurity: .appTransportSecurity(policy)))

    // For each connection, before the program's own handlers.
    let destination = try ATSDestination(url: url)
    let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addServerTrustHandlers(gate, for: destination)
        }
    }
    // snippet.hide
    let channel = try await bootstrap.connect(host: destination.host, port: destination.port).get()
    try await channel.close()
}

func connect(_ gate: ServerTrustGate, _ handler: @escaping @Sendable () -> any ChannelHandler) async throws {
    // snippet.connect
    do {
        let server = try await gate.connect(to: try ATSDestination(url: "https://api.example.com")) { channel in
            try channel.pipeline.syncOperations.addHandler(handler())
        }
        print(server.connection.applicationProtocol ?? "no ALPN", server.connection.result?.path ?? [])
        try await server.channel.closeFuture.get()
    } catch let error as ServerTrustGateError {
        print(error)  // what is wrong, what to do, and URLSession's codes
        print(error.verdict.violations.map(\.code))
    }
    // snippet.end
}

func follow(_ location: String, _ gate: ServerTrustGate) throws {
    // snippet.redirect
    try gate.check(try ATSDestination(url: location))  // throws for http, as URLSession fails with -1022
    // snippet.end
}

func pinned(_ pin: Pin, _ backupPin: Pin, _ ourRoot: Certificate) throws -> ServerTrustGate {
    // snippet.pins
    let manager = try ServerTrustManager(evaluators: [
        "api.example.com": .pins([pin, backupPin]),
        "*.internal.example.com": .anchored([ourRoot]),
    ])
    var settings = ServerTrustSettings(
        trust: try .system(), transportSecurity: .withoutAppTransportSecurity)
    settings.evaluator = manager
    // snippet.end
    return ServerTrustGate(settings)
}

// snippet.handler
struct AcceptsKnownDevice: ServerTrustHandler {
    let knownKeys: Set<[UInt8]>

    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
        guard challenge.host.hasSuffix(".local"), let leaf = challenge.trust.certificates.first,
            self.knownKeys.contains(leaf.publicKey.sha256)
        else { return .performDefaultHandling }
        return .useCredential(ServerTrustCredential(trust: challenge.trust))
    }
}
// snippet.end
