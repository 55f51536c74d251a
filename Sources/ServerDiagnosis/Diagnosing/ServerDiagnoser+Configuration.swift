//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import TLSProbe

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ServerDiagnoser {
    /// What to ask about servers, and how to ask them.
    public struct Configuration: Sendable {
        /// How much to ask.
        public var plan = ProbePlan.standard
        /// The release that is asked about, and whose reading of the rules holds.
        public var rules = ATSPolicy.Configuration()
        /// An app that is asked about, too; `nil` for none.
        public var app: App?
        /// The timeouts, the limits, the server name, STARTTLS, and the proxy.
        public var connections = Prober.Configuration()
        /// How many addresses of a name are asked, each as a server of its own, since clients are sent to any of them: the worst
        /// verdict decides. With 1, the first address that answers is asked. A proxy looks names up by itself, and decides
        /// which address it connects to.
        public var maximumAddresses = Self.defaultMaximumAddresses
        /// Whether a server that is trusted is asked for its page, to see where it redirects.
        ///
        /// This needs a server that is reached directly and speaks HTTP, and an evaluation at the present moment: no page is
        /// asked for through a proxy, after STARTTLS, under another server name, or with a `TrustConfiguration.verifyDate`.
        public var followsRedirects = true
        /// Whether a server at a public address may redirect to addresses that are not public, such as those of this machine and
        /// of its network, and be followed there. A server that is at such an address itself may.
        public var dangerouslyFollowsRedirectsToLocalAddresses = false
        /// Whether the server is asked a second time for what decides, to see whether the answers agree.
        public var confirms = false
        /// Whether a server that ended the handshake with the plan `ats` is asked again with the plan `standard`, so that
        /// the reason is known.
        public var explainsRefusals = true
        /// The clock that dates a diagnosis.
        public var now: @Sendable () -> Date = { Date() }

        /// More than a name of one service usually has.
        public static let defaultMaximumAddresses = 8

        /// Everything at its default.
        public init() {}

        /// Asks what decides about an app and no more; without an app, what decides about trust.
        package init(deciding app: App?) {
            if let app { self.rules = app.policy.configuration }
            self.plan = self.rules.strictness.plan
            self.app = app
            self.followsRedirects = app != nil
        }
    }

    /// An app whose connections are asked about.
    public struct App: Sendable {
        /// What its Info.plist asks.
        public var policy: ATSPolicy
        /// Which part of the app loads.
        public var client: ATSClient
        /// What reports call it: the path of its Info.plist.
        public var name: String

        /// An app.
        ///
        /// - Parameters:
        ///   - policy: What its Info.plist asks.
        ///   - client: Which part of the app loads.
        ///   - name: What reports call it.
        public init(policy: ATSPolicy, client: ATSClient = .app, name: String = "Info.plist") {
            self.policy = policy
            self.client = client
            self.name = name
        }
    }
}

extension ATSStrictness {
    /// The smallest plan that tells the verdict for every Info.plist. The plan `ats` offers the suites of the engine's lists
    /// and no others.
    public var plan: ProbePlan { self == .engine ? .ats : .standard }
}
