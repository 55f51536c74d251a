//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
public import ServerTrustNIO
public import TLSProbe
import TLSWire

/// A prober of servers. It finds out their versions, suites, groups and chains with few connections, and completes handshakes only
/// if needed.
///
/// ```swift
/// let facts = await Prober().facts(about: endpoint, plan: .standard)
/// ```
///
/// A prober can be used for any number of servers at the same time. Its limits apply to all of them together.
public struct Prober: Sendable {
    /// The settings.
    public let configuration: Configuration
    let traffic: Traffic

    /// Creates a prober.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.traffic = Traffic(configuration)
    }

    private init(_ configuration: Configuration, sharing traffic: Traffic) {
        self.configuration = configuration
        self.traffic = traffic
    }

    /// Returns a prober with another configuration and the same limits. Its connections and this prober's count together.
    ///
    /// - Parameter change: Changes the configuration. A change of the limits for all servers has no effect.
    public func configured(_ change: (inout Configuration) -> Void) -> Prober {
        var configuration = self.configuration
        change(&configuration)
        return Prober(configuration, sharing: self.traffic)
    }

    /// The application protocols to offer by ALPN, none with STARTTLS.
    var applicationProtocols: [String] {
        self.configuration.startTLS == nil ? self.configuration.applicationProtocols : []
    }

    /// Probes a server.
    ///
    /// Cancelling the task ends the probe soon. The facts so far are returned.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - plan: The extent of the probe.
    /// - Returns: The facts, including any failures.
    public func facts(about endpoint: TLSEndpoint, plan: ProbePlan) async -> ServerFacts {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let exchange = HostExchange(endpoint, self.configuration, traffic: self.traffic, on: eventLoop)
        var settings = ProbeSettings(serverName: exchange.serverName, offers: .apple)
        settings.applicationProtocols = self.applicationProtocols
        settings.limits.retries = self.configuration.retries
        let (ready, clock) = (settings, ContinuousClock())
        let start = clock.now
        // The task runs on the event loop of the connections, so that no thread waits for another.
        var facts = await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            await plan.facts(over: exchange, ready)
        }
        facts.address = exchange.address
        facts.effort.duration = start.duration(to: clock.now)
        return facts
    }
}

extension ClientOffers {
    static let apple: ClientOffers = {
        var offers = ClientOffers(
            ats: ClientOffer(ATSClientHello(.ats)), fcp: ClientOffer(ATSClientHello(.fcp21)),
            compatible: ClientOffer(ATSClientHello(.atsAndCompatible)))
        (offers.whole, offers.form) = (ATSClientHello.captured.cipherSuites, ATSClientHello.captured.form)
        return offers
    }()
}

extension ClientOffer {
    fileprivate init(_ hello: ATSClientHello) {
        self.init(
            cipherSuites: hello.cipherSuites, groups: hello.groups, signatureSchemes: hello.signatureSchemes)
    }
}
