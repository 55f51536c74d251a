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
    /// The settings of a ``ServerDiagnoser``: the questions to answer about servers, and the way to probe them.
    ///
    /// ```swift
    /// var configuration = ServerDiagnoser.Configuration()
    /// configuration.followsRedirects = false
    /// let diagnoser = ServerDiagnoser(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The extent of the probe.
        public var plan = ProbePlan.standard
        /// The release of Apple's systems, and the reading of the rules.
        public var rules = ATSPolicy.Configuration()
        /// An app to give a verdict on as well, or `nil` for none.
        public var app: App?
        /// The timeouts, the limits, the server name, STARTTLS, and the proxy.
        public var connections = Prober.Configuration()
        /// The maximum number of addresses of a name to probe. Each is probed as a server of its own, because clients may connect
        /// to any of them, and the worst verdict decides. With 1, only the first address that answers is probed. A proxy resolves
        /// names itself and chooses the address.
        public var maximumAddresses = Self.defaultMaximumAddresses
        /// `true` to request the page of a trusted server, to find its redirects.
        ///
        /// This needs a server that is reached directly and speaks HTTP, and an evaluation at the present date. No page is
        /// requested through a proxy, after STARTTLS, under another server name, or with a `TrustConfiguration.verifyDate`.
        public var followsRedirects = true
        /// `true` to follow redirects from a server at a public address to addresses that are not public, such as those of this
        /// machine and its network. Redirects of a server that is itself at such an address are always followed.
        public var dangerouslyFollowsRedirectsToLocalAddresses = false
        /// `true` to probe the server a second time for the deciding facts, and compare the outcomes.
        public var confirms = false
        /// `true` to probe a server again with the plan `standard` if it ended the handshake under the plan `ats`, to find the
        /// reason.
        public var explainsRefusals = true
        /// The clock for the date of a diagnosis.
        public var now: @Sendable () -> Date = { Date() }

        /// The default of ``maximumAddresses``, more addresses than the name of one service usually has.
        public static let defaultMaximumAddresses = 8

        /// Creates a configuration with the defaults.
        public init() {}

        /// Creates a configuration that probes only for the verdict on an app or, without one, on trust.
        package init(deciding app: App?) {
            if let app { self.rules = app.policy.configuration }
            self.plan = self.rules.strictness.plan
            self.app = app
            self.followsRedirects = app != nil
        }
    }

    /// An app to give a verdict on.
    ///
    /// Set it in ``Configuration/app``. The diagnosis then has a verdict on the app, and ``DiagnosedServer/explanation``.
    public struct App: Sendable {
        /// The policy of the app's Info.plist.
        public var policy: ATSPolicy
        /// The part of the app that loads.
        public var client: ATSClient
        /// The name in reports, such as the path of the Info.plist.
        public var name: String

        /// Creates an app.
        ///
        /// - Parameters:
        ///   - policy: The policy of the app's Info.plist.
        ///   - client: The part of the app that loads.
        ///   - name: The name in reports.
        public init(policy: ATSPolicy, client: ATSClient = .app, name: String = "Info.plist") {
            self.policy = policy
            self.client = client
            self.name = name
        }
    }
}

extension ATSStrictness {
    /// The smallest plan that determines the verdict for every Info.plist. The plan `ats` offers only the suites of the engine's
    /// lists.
    public var plan: ProbePlan { self == .engine ? .ats : .standard }
}
