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

/// Asks servers what they speak, with few connections and without shaking hands where that can be avoided.
///
/// A prober may be used for any number of servers at the same time; its limits hold for all of them together.
public struct Prober: Sendable {
    /// How to ask.
    public let configuration: Configuration
    let traffic: Traffic

    /// A prober.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.traffic = Traffic(configuration)
    }

    private init(_ configuration: Configuration, sharing traffic: Traffic) {
        self.configuration = configuration
        self.traffic = traffic
    }

    /// A prober that asks otherwise, and within the same limits: its connections and this one's count together.
    ///
    /// - Parameter change: What is otherwise. Changing the limits for all servers has no effect.
    public func configured(_ change: (inout Configuration) -> Void) -> Prober {
        var configuration = self.configuration
        change(&configuration)
        return Prober(configuration, sharing: self.traffic)
    }

    /// What ALPN offers: nothing where something else than HTTP is spoken.
    var applicationProtocols: [String] {
        self.configuration.startTLS == nil ? self.configuration.applicationProtocols : []
    }

    /// Asks a server.
    ///
    /// Cancelling the task ends it soon; what was found out until then is returned.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - plan: How much to ask.
    /// - Returns: What it answered. Whatever goes wrong is in there.
    public func facts(about endpoint: TLSEndpoint, plan: ProbePlan) async -> ServerFacts {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let exchange = HostExchange(endpoint, self.configuration, traffic: self.traffic, on: eventLoop)
        var settings = ProbeSettings(serverName: exchange.serverName, offers: .apple)
        settings.applicationProtocols = self.applicationProtocols
        settings.limits.retries = self.configuration.retries
        let (ready, clock) = (settings, ContinuousClock())
        let start = clock.now
        // On the loop that the connections are on, so that no thread waits for another one.
        var facts = await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            await plan.facts(over: exchange, ready)
        }
        facts.address = exchange.address
        facts.effort.duration = start.duration(to: clock.now)
        return facts
    }
}

extension ClientOffers {
    /// The offers of Apple's systems.
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
