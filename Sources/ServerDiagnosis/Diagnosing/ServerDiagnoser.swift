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

/// Asks servers, evaluates their chains, follows their redirects, and says what Apple's systems make of them.
///
/// ```swift
/// let server = try await ServerDiagnoser().diagnose("api.example.com")
/// server.verdict          // .passed, .failed, or .unknown
/// server.reasons          // what speaks against it, with what to do
/// server.advice.first?.snippet(for: .nginx)
/// ```
///
/// Every command of `servertrust` that gives a verdict about App Transport Security asks servers through here. A diagnoser may
/// be used for any number of servers at the same time; the limits of its connections hold for all of them together.
public struct ServerDiagnoser: Sendable {
    /// The rules by which chains are evaluated.
    public private(set) var trust: VerdictBasis
    /// What to ask, and how.
    public private(set) var configuration: Configuration
    private var prober: Prober

    /// A diagnoser that evaluates chains as Apple's systems do, by the built-in data, with issuers fetched that servers do not
    /// send. Where there is a proxy nothing is fetched: this machine would connect past it.
    ///
    /// - Parameter configuration: What to ask, and how.
    public init(configuration: Configuration = Configuration()) {
        var basis = VerdictBasis(configuration.connections.proxy == nil ? .apple.fetchingIssuers() : .apple)
        basis.publicTrust = PublicTrustBasis(.builtIn, now: configuration.now())
        self.init(trust: basis, configuration: configuration)
    }

    /// A diagnoser that evaluates chains by rules of your choice.
    ///
    /// - Parameters:
    ///   - trust: What is trusted, the rules, and what may be fetched.
    ///   - configuration: What to ask, and how.
    public init(trust: TrustConfiguration, configuration: Configuration = Configuration()) {
        self.init(trust: VerdictBasis(trust), configuration: configuration)
    }

    /// A diagnoser whose reports tell what its verdicts stand on.
    ///
    /// - Parameters:
    ///   - trust: The rules by which chains are evaluated, and what is told of them.
    ///   - configuration: What to ask, and how.
    public init(trust: VerdictBasis, configuration: Configuration = Configuration()) {
        self.trust = trust
        self.configuration = configuration
        self.configuration.connections.proxyTrust = trust.rules
        self.prober = Prober(self.configuration.connections)
    }

    /// Asks a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - server: The server as a person writes it: a host, a host with a port, or an https URL, whose page is asked for.
    ///   - connectAddress: The address or name to connect to in place of the host; the host is asked for and checked all
    ///     the same.
    /// - Returns: The verdicts, and everything that they come from. A server that does not answer has verdicts, too.
    /// - Throws: `TLSEndpointError` when the text names no server, `CancellationError` when the task is cancelled.
    public func diagnose(_ server: String, connectAddress: String? = nil) async throws -> DiagnosedServer {
        let defaultPort = self.configuration.connections.startTLS?.defaultPort ?? TLSEndpoint.defaultPort
        let endpoint = try TLSEndpoint(parsing: server, connectAddress: connectAddress, defaultPort: defaultPort)
        return try await self.diagnose(endpoint, url: server)
    }

    /// Asks a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port.
    /// - Returns: The verdicts, and everything that they come from. A server that does not answer has verdicts, too.
    /// - Throws: `TLSEndpointError` when there is no such port, `CancellationError` when the task is cancelled.
    public func diagnose(_ host: Host, port: Int = TLSEndpoint.defaultPort) async throws -> DiagnosedServer {
        try await self.diagnose(TLSEndpoint(host: host, port: port))
    }

    /// Asks a server and diagnoses it.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - url: The server as it was named, or the URL of a page to ask for; `nil` for the first page of the server.
    /// - Returns: The verdicts, and everything that they come from. A server that does not answer has verdicts, too.
    /// - Throws: `CancellationError` when the task is cancelled.
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

    /// Asks a server for facts and judges nothing.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - change: What differs from the configuration for this server, such as its server name.
    /// - Returns: What the server answered, within the limits of this diagnoser.
    public func facts(
        about endpoint: TLSEndpoint, configured change: (inout Prober.Configuration) -> Void = { _ in }
    ) async -> ServerFacts {
        await self.prober.configured(change).facts(about: endpoint, plan: self.configuration.plan)
    }

    /// Judges facts about a server without asking it.
    ///
    /// - Parameters:
    ///   - facts: What was found out.
    ///   - endpoint: The server.
    ///   - url: The server as it was named; `nil` for the host and port.
    ///   - date: When the facts were found out; `nil` for now.
    /// - Returns: The verdicts, and everything that they come from.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func judge(
        _ facts: ServerFacts, of endpoint: TLSEndpoint, url: String? = nil, date: Date? = nil
    ) async throws -> DiagnosedServer {
        let limited = self.limitingFetches()
        return try await limited.judge(ProbedServer(endpoint, url ?? "\(endpoint)", facts: facts), date: date)
    }

    /// Asks each address of a server for facts and judges nothing.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - change: What differs from the configuration for this server, such as its server name.
    /// - Returns: What each address answered, for `judge(addresses:of:url:date:)`.
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

    /// Judges what the addresses of a server answered.
    ///
    /// - Parameters:
    ///   - addresses: What was found out.
    ///   - endpoint: The server.
    ///   - url: The server as it was named.
    ///   - change: What differs from the configuration for this server, such as its server name.
    /// - Returns: The worst, which has the others beside it.
    /// - Throws: `CancellationError` when the task is cancelled.
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

    /// The same diagnoser, whose connections go to one address of the server.
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

// MARK: - Asking

extension ServerDiagnoser {
    /// What one server and those that it redirects to answered.
    struct ProbedServer {
        let endpoint: TLSEndpoint
        let url: String
        let facts: ServerFacts
        var redirects: RedirectTrace?
        /// What was found out about the servers that loads are redirected to.
        var others: [ATSDestination: ServerFacts] = [:]

        init(_ endpoint: TLSEndpoint, _ url: String, facts: ServerFacts) {
            self.endpoint = endpoint
            self.url = url
            self.facts = facts
        }
    }

    /// The servers besides the first that are asked where loads are redirected to them.
    private static let maximumRedirectServers = 3

    /// Asks, and once more where the server ended the handshake without a reason.
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
        // What was known to fail does not become unknown by asking again.
        return second.decisive?.outcome == .failed ? second : server
    }

    /// Asks for everything within the time of one server: its facts, its page, those that it redirects to, and the second
    /// answers.
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

    /// The same with a note that says what became of the identities of the client, where there are some.
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

    /// Pages are asked for as of now, and of HTTPS servers that are reached directly and under their own name.
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

    /// What App Transport Security looks at of a server, from asking it once more for what decides.
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

    /// Asks the servers that a load is redirected to for what decides, and no more than a few of them.
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
            // Where a redirect may not be followed, nothing is asked either.
            let addresses: [SocketAddress]?
            do { addresses = try await search.addresses(of: host) } catch { continue }
            servers[destination] = await prober.configured { $0.lookup = addresses.map(NameLookupOutcome.found) }
                .facts(about: other, plan: .ats)
        }
        return servers
    }
}

extension ATSDestination {
    /// Where a server is, for App Transport Security.
    ///
    /// - Parameter endpoint: The server.
    public init(_ endpoint: TLSEndpoint) {
        self.init(endpoint.host, port: endpoint.port)
    }
}

extension ServerFacts {
    /// The address that answered, with its zone and without a port; `nil` where none did.
    fileprivate var connectName: String? {
        self.address.flatMap { try? TLSEndpoint(parsing: $0) }?.connectName
    }
}

extension DiagnosedServer {
    /// Whether the app is refused by a server that ended the handshake: an alert says little about why.
    fileprivate var isRefusedWithoutReason: Bool {
        self.decisive?.violations.contains { violation in
            if case .connectionFailed = violation.reason { !violation.isDoubt } else { false }
        } ?? false
    }
}
