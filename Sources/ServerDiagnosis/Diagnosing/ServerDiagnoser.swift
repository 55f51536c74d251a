//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import NIOCore
public import ServerTrust
public import ServerTrustNIO
public import TLSProbe
import TLSWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A diagnoser of servers. It probes a server, evaluates its chains, follows its redirects, and gives the verdicts of Apple's
/// systems.
///
/// ```swift
/// let server = try await ServerDiagnoser().diagnose("api.example.com")
/// server.verdict          // .passed, .failed, or .unknown
/// server.reasons          // the reasons against the server, with remedies
/// server.advice.first?.snippet(for: .nginx)
/// ```
///
/// Every command of `servertrust` with a verdict about App Transport Security uses it. A diagnoser can be used for any number of
/// servers at the same time. The limits on its connections apply to all of them together.
public struct ServerDiagnoser: Sendable {
    /// The rules for the evaluation of chains.
    public private(set) var trust: VerdictBasis
    /// The questions, and the way to probe servers.
    public private(set) var configuration: Configuration
    private var prober: Prober

    /// Creates a diagnoser that evaluates chains as Apple's systems do, with the built-in data, and fetches missing issuers. With a
    /// proxy nothing is fetched, because this machine would bypass the proxy.
    ///
    /// - Parameter configuration: The questions, and the way to probe servers.
    public init(configuration: Configuration = Configuration()) {
        var basis = VerdictBasis(configuration.connections.proxy == nil ? .apple.fetchingIssuers() : .apple)
        basis.publicTrust = PublicTrustBasis(.builtIn, now: configuration.now())
        self.init(trust: basis, configuration: configuration)
    }

    /// Creates a diagnoser that evaluates chains by rules of your choice.
    ///
    /// - Parameters:
    ///   - trust: The anchors, the rules, and the resources that may be fetched.
    ///   - configuration: The questions, and the way to probe servers.
    public init(trust: TrustConfiguration, configuration: Configuration = Configuration()) {
        self.init(trust: VerdictBasis(trust), configuration: configuration)
    }

    /// Creates a diagnoser with reports that include the basis of its verdicts.
    ///
    /// - Parameters:
    ///   - trust: The rules for the evaluation of chains, and their description in reports.
    ///   - configuration: The questions, and the way to probe servers.
    public init(trust: VerdictBasis, configuration: Configuration = Configuration()) {
        self.trust = trust
        self.configuration = configuration
        self.configuration.connections.proxyTrust = trust.rules
        self.prober = Prober(self.configuration.connections)
    }

    /// Probes a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - server: The server as a person writes it: a host, a host with a port, or the https URL of a page to request.
    ///   - connectAddress: The address or name to connect to instead of the host. The host is still requested and verified.
    /// - Returns: The verdicts, and the facts behind them. A server that does not answer has verdicts, too.
    /// - Throws: `TLSEndpointError` if the text names no server, `CancellationError` if the task is cancelled.
    public func diagnose(_ server: String, connectAddress: String? = nil) async throws -> DiagnosedServer {
        let defaultPort = self.configuration.connections.startTLS?.defaultPort ?? TLSEndpoint.defaultPort
        let endpoint = try TLSEndpoint(parsing: server, connectAddress: connectAddress, defaultPort: defaultPort)
        return try await self.diagnose(endpoint, url: server)
    }

    /// Probes a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port.
    /// - Returns: The verdicts, and the facts behind them. A server that does not answer has verdicts, too.
    /// - Throws: `TLSEndpointError` if the port is invalid, `CancellationError` if the task is cancelled.
    public func diagnose(_ host: Host, port: Int = TLSEndpoint.defaultPort) async throws -> DiagnosedServer {
        try await self.diagnose(TLSEndpoint(host: host, port: port))
    }

    /// Probes a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - url: The server as the caller wrote it, or the URL of a page to request, or `nil` for the server's root.
    /// - Returns: The verdicts, and the facts behind them. A server that does not answer has verdicts, too.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func diagnose(_ endpoint: TLSEndpoint, url: String? = nil) async throws -> DiagnosedServer {
        let url = url ?? "\(endpoint)"
        let start = ContinuousClock.now
        let limited = self.limitingFetches()
        let addresses = await self.prober.addresses(of: endpoint, limit: self.configuration.maximumAddresses)
        let end = start + addresses.waited + self.configuration.connections.bounded.timeoutPerHost
        let servers = try await addresses.asked.concurrentMap { address in
            try await limited.connecting(to: address).explain(endpoint, url, until: end)
        }
        return DiagnosedServer(worstOf: zip(addresses.asked.map(\.text), servers), unasked: addresses.unasked)
    }

    /// Probes a server for facts without a verdict.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - change: Changes the configuration for this server, such as its server name.
    /// - Returns: The facts about the server, within the limits of this diagnoser.
    public func facts(
        about endpoint: TLSEndpoint, configured change: (inout Prober.Configuration) -> Void = { _ in }
    ) async -> ServerFacts {
        await self.prober.configured(change).facts(about: endpoint, plan: self.configuration.plan)
    }

    /// Diagnoses a server from facts, without probing it.
    ///
    /// - Parameters:
    ///   - facts: The facts about the server.
    ///   - endpoint: The server.
    ///   - url: The server as the caller wrote it, or `nil` for the host and port.
    ///   - date: The date of the facts, or `nil` for now.
    /// - Returns: The verdicts, and the facts behind them.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func judge(
        _ facts: ServerFacts, of endpoint: TLSEndpoint, url: String? = nil, date: Date? = nil
    ) async throws -> DiagnosedServer {
        let limited = self.limitingFetches()
        return try await limited.judge(ProbedServer(endpoint, url ?? "\(endpoint)", facts: facts), date: date)
    }

    /// Probes each address of a server for facts without a verdict.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - change: Changes the configuration for this server, such as its server name.
    /// - Returns: The facts about each address, for `judge(addresses:of:url:date:)`.
    package func facts(
        aboutAddressesOf endpoint: TLSEndpoint, configured change: (inout Prober.Configuration) -> Void = { _ in }
    ) async -> AddressFacts {
        let prober = self.prober.configured(change)
        let addresses = await prober.addresses(of: endpoint, limit: self.configuration.maximumAddresses)
        let plan = self.configuration.plan
        let facts = await addresses.asked.concurrentMap { await $0.prober.facts(about: endpoint, plan: plan) }
        return AddressFacts(
            answers: zip(addresses.asked, facts).map { ($0.text, $1) }, unasked: addresses.unasked)
    }

    /// Diagnoses a server from the facts about its addresses.
    ///
    /// - Parameters:
    ///   - addresses: The facts about the addresses.
    ///   - endpoint: The server.
    ///   - url: The server as the caller wrote it.
    ///   - change: Changes the configuration for this server, such as its server name.
    /// - Returns: The diagnosis of the worst address, with the others in ``DiagnosedServer/addresses``.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func judge(
        addresses: AddressFacts, of endpoint: TLSEndpoint, url: String,
        configured change: (inout Prober.Configuration) -> Void = { _ in }
    ) async throws -> DiagnosedServer {
        let limited = self.limitingFetches()
        var servers: [(String?, DiagnosedServer)] = []
        for (text, facts) in addresses.answers {
            let server = try await limited.judge(ProbedServer(endpoint, url, facts: facts))
            servers.append((text, await limited.showingIdentities(to: server, configured: change)))
        }
        return DiagnosedServer(worstOf: servers, unasked: addresses.unasked)
    }

    private func connecting(to address: ProbedAddress) -> ServerDiagnoser {
        var pinned = self
        pinned.prober = address.prober
        return pinned
    }

    private func limitingFetches() -> ServerDiagnoser {
        var limited = self
        limited.trust = self.trust.limitingFetches()
        return limited
    }
}

// MARK: - Probing

extension ServerDiagnoser {
    /// The facts about one server and the servers that it redirects to.
    struct ProbedServer {
        let endpoint: TLSEndpoint
        let url: String
        let facts: ServerFacts
        var redirects: RedirectTrace?
        /// The facts about the servers that loads are redirected to.
        var others: [ATSDestination: ServerFacts] = [:]

        init(_ endpoint: TLSEndpoint, _ url: String, facts: ServerFacts) {
            self.endpoint = endpoint
            self.url = url
            self.facts = facts
        }
    }

    private static let maximumRedirectServers = 3

    /// Probes a server, and probes it again more thoroughly if it ended the handshake without a reason.
    private func explain(
        _ endpoint: TLSEndpoint, _ url: String, until end: ContinuousClock.Instant
    ) async throws -> DiagnosedServer {
        let server = try await self.ask(endpoint, url, until: end)
        guard self.configuration.explainsRefusals, self.configuration.plan == .ats, server.isRefusedWithoutReason else {
            return server
        }
        var thorough = self
        thorough.configuration.plan = .standard
        let second = try await thorough.ask(endpoint, url, until: end)
        // The second probe must not turn a known failure into an unknown outcome.
        return second.decisive?.outcome == .failed ? second : server
    }

    /// Probes a server within its time: its facts, its page, the targets of its redirects, and the second facts.
    private func ask(
        _ endpoint: TLSEndpoint, _ url: String, until end: ContinuousClock.Instant
    ) async throws -> DiagnosedServer {
        let facts = await self.facts(about: endpoint) { $0.endHost(at: end) }
        var answers = ProbedServer(endpoint, url, facts: facts)
        var server = try await self.judge(answers)
        if let search = self.redirectSearch(from: facts), server.diagnosis[.trust]?.outcome == .passed {
            let trace = await search.trace(
                server.requestURL, connectAddress: facts.connectName ?? endpoint.connectAddress?.text, until: end)
            answers.redirects = trace
            answers.others = await self.facts(aboutServersOf: trace, besides: endpoint, by: search, until: end)
            server = try await self.judge(answers)
        }
        server = await self.showingIdentities(to: server) { $0.endHost(at: end) }
        if self.configuration.confirms {
            let known = try await self.known(of: endpoint, until: end)
            server.confirmations = Confirmation.confirmations(of: server, by: known)
        }
        return server
    }

    /// Returns the server with a note on the use of the client's identities, if there are any.
    private func showingIdentities(
        to server: DiagnosedServer, configured change: (inout Prober.Configuration) -> Void
    ) async -> DiagnosedServer {
        guard !self.configuration.connections.identities.isEmpty else { return server }
        let facts = server.facts
        let prober = self.prober.configured(change).connecting(to: facts.address)
        let trusted = zip(facts.chains, server.diagnosis.trust).compactMap { chain, result in
            result?.isTrusted == true ? chain.certificates.first : nil
        }
        let request = facts.features.clientCertificate
        let use =
            facts.chains.isEmpty
            ? .notSent(.notSeen)
            : await prober.identityUse(at: server.endpoint, request: request, trusting: Set(trusted))
        var server = server
        server.notes.removeAll { $0.kind == .clientCertificateRequested }
        if let use { server.notes.append(TrustNote(.clientIdentity(use))) }
        server.notes += prober.notesOnKeys(usedAs: use)
        return server
    }

    /// Returns a search for redirects, or `nil` if no page may be requested. A page is requested only at the present date, from an
    /// HTTPS server that is reached directly and under its own name.
    private func redirectSearch(from facts: ServerFacts) -> RedirectSearch? {
        let identity = facts.features.clientCertificate
            .flatMap { TLSIdentity.choice(among: self.configuration.connections.identities, for: $0) }
        let connections = self.configuration.connections
        let isPossible =
            self.trust.verifyDate == nil && connections.startTLS == nil && connections.proxy == nil
            && connections.serverName == nil
        guard self.configuration.followsRedirects, isPossible else { return nil }
        return RedirectSearch(
            trust: self.trust.rules, timeout: connections.timeout,
            allowsLocalAddresses: self.configuration.dangerouslyFollowsRedirectsToLocalAddresses
                || !SocketAddress.isPublic(facts.address),
            resolver: connections.resolver, identity: identity,
            asksForCertificate: facts.features.clientCertificate != nil)
    }

    /// Returns the facts that App Transport Security depends on, from a second probe.
    private func known(
        of endpoint: TLSEndpoint, until end: ContinuousClock.Instant
    ) async throws -> ATSServerFacts {
        let strictness = self.configuration.rules.strictness
        let prober = self.prober.configured { $0.endHost(at: end) }
        let facts = await prober.facts(about: endpoint, plan: strictness.plan)
        let policy = ATSRequirements().trustPolicy(hostname: endpoint.host.text)
        return ATSServerFacts(
            facts, trust: try await self.trust.results(of: facts, for: policy).map(self.trust.known),
            strictness: strictness, system: self.configuration.rules.system)
    }

    /// Probes the targets of redirects for the deciding facts, up to a limit.
    private func facts(
        aboutServersOf trace: RedirectTrace, besides endpoint: TLSEndpoint, by search: RedirectSearch,
        until end: ContinuousClock.Instant
    ) async -> [ATSDestination: ServerFacts] {
        let prober = self.prober.configured { configuration in
            configuration.serverName = nil
            configuration.endHost(at: end)
        }
        var servers: [ATSDestination: ServerFacts] = [:]
        for destination in trace.destinations
        where destination.scheme == .https && servers.count < Self.maximumRedirectServers {
            guard let host = try? Host(destination.host) else { continue }
            let isSame = host == endpoint.host
            let address = isSame ? endpoint.connectAddress : nil
            let other = try? TLSEndpoint(host: host, port: destination.port, connectAddress: address)
            guard let other, destination != ATSDestination(endpoint), servers[destination] == nil else { continue }
            guard !isSame else {
                servers[destination] = await prober.facts(about: other, plan: .ats)
                continue
            }
            // A target that may not be followed is not probed either.
            let addresses: [SocketAddress]?
            do { addresses = try await search.addresses(of: host) } catch { continue }
            servers[destination] = await prober.configured { $0.lookup = addresses.map(NameLookupOutcome.found) }
                .facts(about: other, plan: .ats)
        }
        return servers
    }
}

extension ATSDestination {
    /// Creates the destination of a server.
    ///
    /// - Parameter endpoint: The server.
    public init(_ endpoint: TLSEndpoint) {
        self.init(endpoint.host, port: endpoint.port)
    }
}

extension ServerFacts {
    /// The address that answered, with its zone and without a port, or `nil` if none answered.
    fileprivate var connectName: String? {
        self.address.flatMap { try? TLSEndpoint(parsing: $0) }?.connectName
    }
}

extension DiagnosedServer {
    /// `true` if a server that ended the handshake fails the deciding verdict. Its alert says little about the reason.
    fileprivate var isRefusedWithoutReason: Bool {
        self.decisive?.violations.contains { violation in
            if case .connectionFailed = violation.reason { !violation.isDoubt } else { false }
        } ?? false
    }
}
