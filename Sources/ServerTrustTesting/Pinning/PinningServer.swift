//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// A TLS server on 127.0.0.1 that is a pinned site, or pretends to be it.
public struct PinningServer: LoopbackServer {
    /// What happens.
    public let scenario: PinningScenario

    /// The site a client asks for, genuine or not.
    public let site: PinnedSite

    /// The port on 127.0.0.1.
    public let port: Int

    /// The certificates the server sends in DER, its own first.
    public let certificates: [[UInt8]]

    /// The DNS name or IP address of the site.
    public var host: String {
        self.site.host
    }

    /// The pins of the site, which are those of the server in some scenarios only.
    public var pins: PinnedSite.Pins {
        self.site.pins
    }

    /// What a client trusts: the site's root and the middleman's.
    public var anchors: TrustAnchors {
        self.site.anchors
    }
}

/// Runs a TLS server on 127.0.0.1 that is a pinned site, or pretends to be it, for as long as `body` does.
///
/// ```swift
/// try await withPinningServer(.trustedMiddleman) { server in
///     let manager = try ServerTrustManager(evaluators: [server.host: .pins([server.pins.leaf, server.pins.backup])])
///     #expect(!manager.evaluate(try await server.trust(), forHost: server.host).isTrusted)
/// }
/// ```
///
/// The server is shut down when `body` returns or throws, and at once when the task is cancelled. Give the test a time
/// limit, which cancels it, and nothing outlives it.
///
/// - Parameters:
///   - scenario: What happens.
///   - site: The site, or `nil` for a new one, `pinned.test`.
///   - body: Connects to the server.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or the error of a certificate or server that cannot be made.
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

/// Runs TLS servers on 127.0.0.1, one for each scenario and all about one site, for as long as `body` does.
///
/// The servers are shut down when `body` returns or throws, and at once when the task is cancelled.
///
/// - Parameters:
///   - scenarios: What happens.
///   - site: The site, or `nil` for a new one, `pinned.test`.
///   - body: Connects to the servers, which are in the order of `scenarios`.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or the error of a certificate or server that cannot be made.
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
    ///   - scenario: What happens.
    ///   - site: The site a client asks for.
    /// - Returns: What there is to know about the server, and the server itself.
    /// - Throws: The error of a certificate that cannot be made or a server that cannot be started.
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
