//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
import TLSProbe

/// An app that wants to connect: its Info.plist, and which part of it loads.
public struct AppContext: Sendable {
    /// Its policy.
    public var policy: ATSPolicy
    /// Who loads.
    public var client: ATSClient
    /// What the server's chains are worth by what the app asks, pins included; in the order of ``ServerFacts/chains``.
    public var trust: [TrustResult?]
    /// What is known of servers that loads are redirected to, with trust by what the app asks for their hosts.
    public var redirectServers: [ATSDestination: ATSServerFacts] = [:]

    /// A context.
    ///
    /// - Parameters:
    ///   - policy: The app's policy.
    ///   - client: Who in the app loads.
    ///   - trust: What the server's chains are worth, evaluated by `ATSRequirements.trustPolicy(hostname:)` of what the
    ///     policy requires for the server.
    public init(_ policy: ATSPolicy, client: ATSClient = .app, trust: [TrustResult?]) {
        self.policy = policy
        self.client = client
        self.trust = trust
    }
}

extension AppContext {
    /// What the app's policy is to look at of the facts: the same as others look at, and trust by what the app asks.
    func known(_ facts: ServerFacts, redirectedAs known: ATSServerFacts) -> ATSServerFacts {
        var own = ATSServerFacts(
            facts, trust: self.trust, strictness: self.policy.configuration.strictness,
            system: self.policy.configuration.system)
        own.redirects = known.redirects
        own.redirectServers = self.redirectServers
        own.redirectFailure = known.redirectFailure
        return own
    }

    /// The smallest change to the app's own exceptions that lets the server through.
    func suggestion(
        for destination: ATSDestination, _ facts: ServerFacts, redirectedAs known: ATSServerFacts
    ) -> ATSSuggestion {
        ATSSuggestion(
            for: destination, facts: self.known(facts, redirectedAs: known), dictionary: self.policy.dictionary,
            configuration: self.policy.configuration,
            client: self.client)
    }
}
