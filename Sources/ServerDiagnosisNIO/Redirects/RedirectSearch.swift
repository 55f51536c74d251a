//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import TLSWire

/// Asks a server for a page, as a load would, to see where it is redirected to.
///
/// Over TLS only servers whose chain is trusted are asked. Plain HTTP is asked of the host itself, and of no other host: anyone
/// on the way may send a client elsewhere, and such a redirect is reported and not followed.
struct RedirectSearch: Sendable {
    private let gate: ServerTrustGate
    /// The same with the client's certificate, for the server that was named and no other.
    private let firstGate: ServerTrustGate
    /// Whether the server that was named asks for a certificate that there is not.
    private let asksForCertificate: Bool
    private let timeout: Duration
    private let allowsLocalAddresses: Bool
    private let resolver: NameResolver

    private static let maximumRedirects = 5
    private static let maximumHeaderSize = 64 << 10

    /// A search.
    ///
    /// - Parameters:
    ///   - trust: What is trusted, and the rules.
    ///   - timeout: The time of each connection.
    ///   - allowsLocalAddresses: Whether redirects to other hosts are followed to addresses that are not public, such as those
    ///     of this machine and its network.
    ///   - resolver: What looks other hosts up.
    ///   - identity: The identity of the client, for the server that was named alone.
    ///   - asksForCertificate: Whether that server asks for a client certificate.
    init(
        trust: TrustConfiguration, timeout: Duration, allowsLocalAddresses: Bool, resolver: NameResolver = .system,
        identity: TLSIdentity? = nil, asksForCertificate: Bool = false
    ) {
        var everything = ATSDictionary()
        everything.allowsArbitraryLoads = true
        var settings = ServerTrustSettings(
            trust: trust, transportSecurity: .appTransportSecurity(ATSPolicy(everything)))
        settings.tls.applicationProtocols = ["http/1.1"]
        settings.handshakeTimeout = timeout
        // The prober sees what each server delivers.
        settings.looksAtDeliveredEvidence = false
        self.gate = ServerTrustGate(settings)
        settings.identity = identity
        self.asksForCertificate = asksForCertificate && identity == nil
        self.firstGate = ServerTrustGate(settings)
        (self.timeout, self.allowsLocalAddresses, self.resolver) = (timeout, allowsLocalAddresses, resolver)
    }

    /// Asks.
    ///
    /// - Parameters:
    ///   - url: What is loaded, with the scheme https.
    ///   - connectAddress: The address or name to connect to in place of the host; other hosts are connected to by themselves.
    ///   - end: When the search is over, however far it has got.
    func trace(
        _ url: String, connectAddress: String? = nil, until end: ContinuousClock.Instant
    ) async -> RedirectTrace {
        let search = Task { await self.trace(url, connectAddress) }
        let clock = Task {
            try await Task.sleep(until: end, clock: .continuous)
            search.cancel()
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await search.value
        } onCancel: {
            search.cancel()
        }
    }

    private func trace(_ url: String, _ connectAddress: String?) async -> RedirectTrace {
        var trace = RedirectTrace()
        do {
            var location = try HTTPURL(named: url, schemes: [.https])
            let first = location.origin.destination
            let host = location.host
            for _ in 0...Self.maximumRedirects {
                try Task.checkCancellation()
                trace.connections += 1
                let isSame = location.host == host
                let address =
                    isSame ? connectAddress : try await self.addresses(of: location.host)?.first?.textWithZone
                let gate = location.origin.destination == first ? self.firstGate : self.gate
                let answer = try await self.answer(at: location, address, by: gate)
                guard let place = answer.places?.first, !place.isEmpty else { return trace }
                trace.isRedirected = true
                location = try location.resolving(place)
                trace.destinations.append(location.origin.destination)
                guard location.scheme == .https || location.host == host else {
                    throw ResourceError(.invalidURL, "plain HTTP at another host is not asked for")
                }
            }
            trace.failure = "it redirects more than \(Self.maximumRedirects) times"
        } catch {
            trace.failure =
                Task.isCancelled
                ? "the time that one server may take was over"
                : self.text(of: error, isFirst: trace.destinations.isEmpty)
            let isFirst = trace.destinations.isEmpty && !trace.isRedirected
            if isFirst, !Task.isCancelled, (error as? ServerTrustGateError)?.isOfHandshake == true {
                trace.handshakeFailure = trace.failure
            }
        }
        return trace
    }

    /// What happened, in this package's words: those of the libraries below name files of theirs.
    private func text(of error: any Error, isFirst: Bool) -> String {
        let text = TransportErrorText.text(of: error)
        guard self.asksForCertificate, isFirst else { return text }
        return "\(text); the server asks for a client certificate, and none was given (--cert, --p12)"
    }

    /// The addresses of another host that may be connected to; `nil` for any. They are used as they are: looked up again, the
    /// name may have others.
    func addresses(of host: Host) async throws(ResourceError) -> [SocketAddress]? {
        guard !self.allowsLocalAddresses else { return nil }
        let answer = await self.resolver.addresses(of: host.text, timeout: self.timeout)
        guard case .found(let addresses) = answer.outcome else {
            throw ResourceError(.unreachable, "the name \(host) could not be resolved")
        }
        let allowed = addresses.filter(\.isPublic)
        guard !allowed.isEmpty else {
            throw ResourceError(
                .invalidURL, "\(host) is not at a public address; --dangerously-allow-local-addresses follows it there")
        }
        return allowed
    }

    private func answer(
        at location: HTTPURL, _ connectAddress: String?, by gate: ServerTrustGate
    ) async throws -> HTTPAnswer {
        let exchange = OneTimeExchange(
            url: location, content: nil, maximumHeaderSize: Self.maximumHeaderSize, maximumSize: nil)
        guard location.scheme == .https else {
            var dialer = Dialer(
                on: MultiThreadedEventLoopGroup.singleton.any(), connectTimeout: TimeAmount(bounding: self.timeout))
            dialer.deadline = .now() + TimeAmount(bounding: self.timeout) * 2
            let endpoint = try TLSEndpoint(
                host: location.host.text, port: location.port, connectAddress: connectAddress)
            return try await dialer.run(to: endpoint, keepsConnection: false) { exchange.run(on: $0) }
        }
        let channel = try await gate.connect(
            to: location.origin.destination, connectAddress: connectAddress, connectTimeout: self.timeout
        ).channel
        let answer = channel.eventLoop.flatSubmit { exchange.run(on: channel) }
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(bounding: self.timeout)) {
            channel.close(promise: nil)
        }
        defer {
            timer.cancel()
            channel.close(promise: nil)
        }
        return try await withTaskCancellationHandler {
            try await answer.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

extension ServerTrustGateError {
    /// Whether a server was there, and no handshake with it came about as a load offers it. Pages are asked for over HTTP/1.1
    /// only: a server of HTTP/2 alone refuses that (RFC 7301 §3.2), and takes a load, which offers both.
    fileprivate var isOfHandshake: Bool {
        guard case .connectionFailed(let failure)? = self.verdict.primary?.reason else { return false }
        return !failure.isBelowTLS && failure != .alert(.noApplicationProtocol)
    }
}
