//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import FleetScan
import HTTPSession
import InterceptingProxy
import ServerReports
import ServerTrust
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust proxy`: a proxy that lets programs reach only trusted servers, until a signal ends it.
struct ProxyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Run a local proxy that connects to trusted servers only.",
        discussion: """
            A program that uses the proxy reaches only servers that pass trust, App Transport Security and pins. The proxy \
            presents certificates of its own, so the program must trust the proxy's root. The root is made once and kept \
            with its key in a folder that only you can read. The proxy never installs it.

            A server that is refused gets no request. The program gets a page, JSON or text with the reason, the remedy and \
            Apple's code, and status 403. Other failures have status 502 or 504. Redirects, cookies and credentials are the \
            program's and pass unchanged.

            EXAMPLES
              servertrust proxy --plist Info.plist --log decisions.ndjson
                  Applies the rules of this app, and writes one line of JSON for each decision.
              servertrust proxy --plist Info.plist --page-port 8081
                  Serves a page of refused servers, with the smallest exception for each.
              servertrust proxy --pins pins.json
              servertrust proxy root --export proxy-root.pem
              curl --proxy http://127.0.0.1:8080 --cacert proxy-root.pem https://example.com/
                  Sends a request through the proxy.
              servertrust proxy root --install-hint firefox
              servertrust proxy --roots our-ca.pem --anchors-only --allow-port 9443 --allow-local
                  Allows a private authority, another port, and servers on this machine.
              servertrust proxy --password-file user-and-password --identity api.example.com=client.pem
                  Serves programs that send the password, with a client certificate for one host.
              servertrust proxy --proxy http://proxy.example.com:3128 --noproxy intranet.example.com
                  Connects through a company's proxy. Without --proxy, the variables http_proxy and https_proxy apply.

            SIGINT or SIGTERM ends the proxy once running requests are answered, after ten seconds at most. A second signal ends \
            it at once.
            """, subcommands: [ProxyRootCommand.self])

    @OptionGroup var clients: ProxyClientOptions

    @Option(
        name: .customLong("allow-port"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Also connect to this port, beside 80, 443 and 8443.", valueName: "port"))
    var ports: [Int] = []

    @Flag(
        name: .customLong("allow-local"),
        help: "Also connect to addresses of this machine, where services listen that are for it alone.")
    var allowsLocal = false

    @Option(
        name: .customLong("connect-to"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connect to another host and port, under the name that the program asks for, as with `servertrust get`.",
            valueName: "host:port:host:port"))
    var replacements: [String] = []

    @Option(
        name: .customLong("resolve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The addresses of a host and port, in place of DNS, as with `servertrust get`.",
            valueName: "host:port:address,…"))
    var addresses: [String] = []

    @Option(
        name: .customLong("log"),
        help: ArgumentHelp(
            "Write a line of JSON for each connection and each request to the end of this file.", valueName: "file"),
        completion: .file())
    var logFile: String?

    @Option(
        name: .customLong("page-port"),
        help: ArgumentHelp(
            "Serve a page of refused servers, with the smallest exception for each, at this port of 127.0.0.1. 0 "
                + "chooses one. Servers that are refused are looked at by connections of their own, as by `ats suggest`.",
            valueName: "port"))
    var pagePort: Int?

    @OptionGroup(title: "Root") var root: ProxyRootOptions

    @Option(
        name: .customLong("identity"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The client's certificate for one host that asks for one: PEM with the key in it, or PKCS#12. It is shown once the "
                + "server is trusted, and to no other host. Repeat it for several hosts.",
            valueName: "host=file[:password]"))
    var identities: [HostIdentity] = []

    @Flag(
        name: .customLong("ask"),
        help: ArgumentHelp(
            "Ask at the terminal for a user and a password when a server wants them and the program shows none. They are "
                + "remembered until the proxy ends, and every program that uses the proxy acts with them."))
    var asks = false

    @OptionGroup(title: "Upstream proxy") var upstream: GetProxyOptions

    @OptionGroup(title: "Trust") var commonTrust: TrustOptions

    @OptionGroup(title: "Trust") var trust: GetTrustOptions

    func validate() throws {
        try self.trust.check(self.commonTrust)
        for port in self.ports where !(1...65_535).contains(port) {
            throw ValidationError("--allow-port \(port): write a number from 1 to 65535")
        }
        _ = try self.routes()
        if let pagePort, !(0...65_535).contains(pagePort) {
            throw ValidationError("--page-port \(pagePort): write a number from 0 to 65535")
        }
        _ = try self.proxies()
        guard self.trust.identity.certificate == nil, self.trust.identity.keyStore == nil else {
            throw ValidationError(
                "a certificate of the client is for one host. Give --identity HOST=FILE in place of --cert")
        }
    }

    /// Returns the routes, parsed as `servertrust get` parses them.
    private func routes() throws -> ConnectionRoutes {
        let given = self.replacements.flatMap { ["--connect-to", $0] } + self.addresses.flatMap { ["--resolve", $0] }
        return try GetConnectionOptions.parse(given).routes()
    }

    /// Returns the upstream proxies of the options or of the environment.
    ///
    /// Programs find this proxy by the same variables as this proxy finds its upstream proxy. If both run in one shell, the proxy
    /// would connect to itself.
    private func proxies() throws -> ProxyPolicy {
        let policy = try self.upstream.policy(ProcessInfo.processInfo.environment)
        let place = try self.clients.places.first ?? ListeningPlace.usual
        // Other names and addresses of this machine are refused when a request arrives.
        let own = [place.host.text, "localhost"]
        for proxy in [policy.http, policy.https] {
            guard let proxy, own.contains(proxy.host), proxy.port == place.port else { continue }
            throw ValidationError(
                "the proxy on the way to servers, \(proxy), is the one to be started. "
                    + "Unset http_proxy and https_proxy, or give --proxy '' to connect directly")
        }
        return policy
    }

    func run() async throws {
        let signals = InterruptSignals { ControllingTerminal.close() }
        defer { ControllingTerminal.close() }
        var observers: [any InterceptingProxyObserver] = [try ProxyLog(self.logFile, complain: Console.complain)]
        let root = try await self.root.folder().root(permitting: try self.root.hosts(), at: Date())
        let proxies = try self.proxies()
        var configuration = InterceptingProxyConfiguration(
            root: root, trust: try self.trust.settings(self.commonTrust, connects: !proxies.isUsed))
        configuration.dangerouslyAllowsPlainHTTP = self.trust.allowsPlainHTTP
        configuration.dangerouslyAllowsLocalAddresses = self.allowsLocal
        configuration.allowedPorts.formUnion(self.ports)
        configuration.routes = try self.routes()
        configuration.proxies = proxies
        configuration.challenges = try self.challenges()
        let board = self.pagePort.map { _ in RefusalBoard() }
        if let board { observers.append(board) }
        let process = ProcessInfo.processInfo
        try self.clients.apply(to: &configuration, process.environment, process: process.processIdentifier)
        for identity in self.identities {
            guard configuration.identities[identity.host] == nil else {
                throw CommandError("--identity is given twice for \(identity.host). Give one for each host")
            }
            configuration.identities[identity.host] = try identity.identity()
            Console.warn(ofKeyOf: configuration.identities[identity.host])
        }
        // Each connection needs a descriptor for the client and one for the server.
        _ = DescriptorLimit.raise(forConnections: 2 * configuration.limits.connections)
        configuration.observer = ProxyObservers(observers)
        configuration.spelling = .command
        let proxy = try await InterceptingProxy.start(configuration)
        try Console.write("The proxy listens at http://\(proxy.place)\n" + self.advice())
        let search = try await self.serve(board, proxy)
        let notice = ServiceNotice(process.environment, complain: Console.complain)
        notice?.tell(.ready)
        await signals.first()
        ControllingTerminal.close()
        notice?.tell(.stopping)
        search?.cancel()
        await proxy.stop()
    }

    /// Returns the handler that asks for credentials at the terminal, or `nil` if the option is not set.
    private func challenges() throws -> (any ChallengeHandler)? {
        guard self.asks else { return nil }
        guard ControllingTerminal.exists else {
            throw CommandError(
                "--ask works at a terminal alone. Leave it out without one, and have programs send a credential")
        }
        return TerminalCredentials { await ControllingTerminal.credentials($0, within: $1) }
    }

    /// Starts the page and the search for exceptions.
    private func serve(_ board: RefusalBoard?, _ proxy: InterceptingProxy) async throws -> Task<Void, Never>? {
        guard let board, let pagePort else { return nil }
        let host = try Host("127.0.0.1")
        let server = try await PageServer.start(host: host.text, port: pagePort) { head, port in
            board.answer(head, host: host, port: port)
        }
        try Console.write("Refused servers are shown at http://\(host.textInURL):\(server.port)/\n")
        let search = ExceptionSearch(
            policy: try self.trust.policy(), client: .app, name: self.trust.infoPlist ?? "default",
            trust: try self.trust.settings(self.commonTrust).trust)
        return Task { await board.run(search, proxy) }
    }

    private func advice() throws -> String {
        """
        Programs must trust its root: `servertrust proxy root --export FILE` writes the certificate. Its key stays in \
        \(DisplayText.text(try self.root.folder().file)): do not share that file.

        """
    }
}

/// A listening address: an address of this machine and a port.
struct ListeningPlace: ExpressibleByArgument, Sendable {
    let host: Host
    let port: Int

    init?(argument: String) {
        // Port 0 selects a free port and is not a valid port of a server.
        let text = argument.hasSuffix(":0") ? String(argument.dropLast(2)) : argument
        guard let authority = try? Authority(text[...]), authority.userInformation == nil, authority.host.isAddress,
            let port = argument.hasSuffix(":0") ? 0 : authority.port
        else { return nil }
        self.host = authority.host
        self.port = port
    }

    private init(_ host: Host, port: Int) { (self.host, self.port) = (host, port) }

    /// The usual address of proxies for developers.
    static var usual: ListeningPlace {
        get throws { ListeningPlace(try Host("127.0.0.1"), port: 8_080) }
    }
}
