//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust
import TLSProbe

/// An app with its Info.plist, the part of it that loads, and the evaluations of the server's chains under its policy.
///
/// Pass it to ``ServerDiagnosis`` for a verdict on the app.
public struct AppContext: Sendable {
    /// The policy of the app.
    public var policy: ATSPolicy
    /// The part of the app that loads.
    public var client: ATSClient
    /// The evaluations of the server's chains under the app's policy, pins included, in the order of `ServerFacts.chains`.
    public var trust: [TrustResult?]
    /// The facts about the targets of redirects, with trust evaluated under the app's policy for their hosts.
    public var redirectServers: [ATSDestination: ATSServerFacts] = [:]

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - policy: The policy of the app.
    ///   - client: The part of the app that loads.
    ///   - trust: The evaluations of the server's chains by `ATSRequirements.trustPolicy(hostname:)` of the policy's requirements
    ///     for the server.
    public init(_ policy: ATSPolicy, client: ATSClient = .app, trust: [TrustResult?]) {
        self.policy = policy
        self.client = client
        self.trust = trust
    }
}

extension AppContext {
    /// Returns the facts for the app's policy: the given facts, with trust evaluated under that policy.
    func known(_ facts: ServerFacts, redirectedAs known: ATSServerFacts) -> ATSServerFacts {
        var own = ATSServerFacts(
            facts, trust: self.trust, strictness: self.policy.configuration.strictness,
            system: self.policy.configuration.system)
        own.redirects = known.redirects
        own.redirectServers = self.redirectServers
        own.redirectFailure = known.redirectFailure
        return own
    }

    /// Returns the smallest change to the app's own exceptions that lets the server through.
    func suggestion(
        for destination: ATSDestination, _ facts: ServerFacts, redirectedAs known: ATSServerFacts
    ) -> ATSSuggestion {
        ATSSuggestion(
            for: destination, facts: self.known(facts, redirectedAs: known), dictionary: self.policy.dictionary,
            configuration: self.policy.configuration,
            client: self.client)
    }
}
