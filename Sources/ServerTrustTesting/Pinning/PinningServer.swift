//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// A TLS server on 127.0.0.1 that is a pinned site or pretends to be one.
///
/// `withPinningServer` starts a server and shuts it down. Its ``pins`` are those of the genuine site, so a client with them must
/// refuse the server in some scenarios.
public struct PinningServer: LoopbackServer {
    /// The scenario that the server acts out.
    public let scenario: PinningScenario

    /// The site that the client connects to, genuine or not.
    public let site: PinnedSite

    /// The port on 127.0.0.1.
    public let port: Int

    /// The certificates that the server sends, in DER, its own first.
    public let certificates: [[UInt8]]

    /// The DNS name or IP address of the site.
    public var host: String {
        self.site.host
    }

    /// The pins of the site. The server matches them only in some scenarios.
    public var pins: PinnedSite.Pins {
        self.site.pins
    }

    /// The anchors of the client: the site's root and the middleman's root.
    public var anchors: TrustAnchors {
        self.site.anchors
    }
}

/// Runs a TLS server on 127.0.0.1 while `body` runs. The server is a pinned site or pretends to be one.
///
/// ```swift
/// try await withPinningServer(.trustedMiddleman) { server in
///     let manager = try ServerTrustManager(evaluators: [server.host: .pins([server.pins.leaf, server.pins.backup])])
///     #expect(!manager.evaluate(try await server.trust(), forHost: server.host).isTrusted)
/// }
/// ```
///
/// The server is shut down when `body` returns or throws, and at once when the task is cancelled. Set a time limit for the test:
/// it cancels the task, so that nothing outlives the test.
///
/// - Parameters:
///   - scenario: The scenario.
///   - site: The site, or `nil` for a new one, `pinned.test`.
///   - body: Connects to the server.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or an error if a certificate or the server cannot be created.
public func withPinningServer<Result>(
    _ scenario: PinningScenario,
    of site: PinnedSite? = nil,
    _ body: (PinningServer) async throws -> Result
) async throws -> Result {
    let (target, server) = try await PinningServer.start(scenario, of: site ?? PinnedSite())
    return try await TestTLSServer.shuttingDown([server]) {
        try await body(target)
    }
}

/// Runs TLS servers on 127.0.0.1 while `body` runs, one for each scenario of the same site.
///
/// The servers are shut down when `body` returns or throws, and at once when the task is cancelled.
///
/// - Parameters:
///   - scenarios: The scenarios.
///   - site: The site, or `nil` for a new one, `pinned.test`.
///   - body: Connects to the servers, which are in the order of `scenarios`.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or an error if a certificate or a server cannot be created.
public func withPinningServers<Result>(
    _ scenarios: [PinningScenario] = PinningScenario.allCases,
    of site: PinnedSite? = nil,
    _ body: ([PinningServer]) async throws -> Result
) async throws -> Result {
    let site = try site ?? PinnedSite()
    var targets: [PinningServer] = []
    var servers: [TestTLSServer] = []
    do {
        for scenario in scenarios {
            let (target, server) = try await PinningServer.start(scenario, of: site)
            targets.append(target)
            servers.append(server)
        }
    } catch {
        try? await TestTLSServer.shutdown(servers)
        throw error
    }
    return try await TestTLSServer.shuttingDown(servers) {
        try await body(targets)
    }
}

extension PinningServer {
    /// Starts the server of a scenario.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - site: The site that the client connects to.
    /// - Returns: The description of the server, and the server itself.
    /// - Throws: An error if a certificate cannot be created or the server cannot be started.
    fileprivate static func start(
        _ scenario: PinningScenario,
        of site: PinnedSite
    ) async throws -> (target: PinningServer, server: TestTLSServer) {
        let chain = try site.chain(for: scenario)
        var configuration = TestTLSServer.Configuration(chain.leaf, sending: chain.others)
        configuration.response = "\(scenario.rawValue): \(scenario.summary)\n"
        let server = try await TestTLSServer.start(configuration)
        let target = PinningServer(
            scenario: scenario, site: site, port: server.port, certificates: configuration.certificates)
        return (target, server)
    }
}
