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
    let security = ATSEnforcement(policy: policy, anchors: .store(try .system()))

    // For each connection, before the program's own handlers.
    let destination = try ATSDestination(url: url)
    let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addATSHandlers(security, for: destination)
        }
    }
    // snippet.hide
    let channel = try await bootstrap.connect(host: destination.host, port: destination.port).get()
    try await channel.close()
}

func connect(_ security: ATSEnforcement, _ handler: @escaping @Sendable () -> any ChannelHandler) async throws {
    // snippet.connect
    do {
        let channel = try await security.connect(to: try ATSDestination(url: "https://api.example.com")) { channel in
            try channel.pipeline.syncOperations.addHandler(handler())
        }
        try await channel.closeFuture.get()
    } catch let error as ATSError {
        print(error)  // what is wrong, what to do, and URLSession's codes
        print(error.verdict.violations.map(\.code))
    }
    // snippet.end
}

func follow(_ location: String, _ security: ATSEnforcement) throws {
    // snippet.redirect
    try security.check(try ATSDestination(url: location))  // throws for http, as URLSession fails with -1022
    // snippet.end
}
