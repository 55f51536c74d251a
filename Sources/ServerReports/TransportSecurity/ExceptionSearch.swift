//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
package import ServerDiagnosis
package import ServerTrustNIO

/// A search for the smallest exception that lets a server through, in addition to those of an Info.plist.
package struct ExceptionSearch: Sendable {
    let policy: ATSPolicy
    let client: ATSClient
    /// The name of the Info.plist.
    let name: String
    let trust: VerdictBasis
    package var connections = Prober.Configuration()
    package var maximumAddresses = ServerDiagnoser.Configuration.defaultMaximumAddresses
    package var dangerouslyFollowsRedirectsToLocalAddresses = false

    /// Creates a search for an app.
    ///
    /// - Parameters:
    ///   - policy: The policy of the app's Info.plist.
    ///   - client: The part of the app that loads.
    ///   - name: The name of the Info.plist.
    ///   - trust: The rules for the evaluation of chains.
    package init(policy: ATSPolicy, client: ATSClient, name: String, trust: VerdictBasis) {
        self.policy = policy
        self.client = client
        self.name = name
        self.trust = trust
    }

    /// Searches for an exception for a server named by its URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - endpoint: The endpoint of the server, or `nil` for plain HTTP.
    package func suggestion(_ url: String, through endpoint: TLSEndpoint?) async throws -> SuggestedException {
        let destination = try ATSDestination(url: url)
        guard let endpoint, destination.scheme == .https else {
            return self.suggestion(url, at: destination, ATSServerFacts(handshakes: []))
        }
        return try await self.suggestion(url, at: destination, through: endpoint)
    }

    /// Searches for an exception for a described server, or for plain HTTP, without a connection.
    package func suggestion(_ server: String, at destination: ATSDestination, _ facts: ATSServerFacts)
        -> SuggestedException
    {
        SuggestedException(
            server: server, suggestion: self.suggestion(for: destination, facts),
            isDescribed: !facts.handshakes.isEmpty)
    }

    /// Searches for an exception for a server with the facts that a diagnosis finds.
    package func suggestion(
        _ server: String, at destination: ATSDestination, through endpoint: TLSEndpoint
    ) async throws -> SuggestedException {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = self.policy.configuration.strictness.plan
        configuration.rules = self.policy.configuration
        configuration.app = ServerDiagnoser.App(policy: self.policy, client: self.client, name: self.name)
        configuration.connections = self.connections
        configuration.maximumAddresses = self.maximumAddresses
        configuration.dangerouslyFollowsRedirectsToLocalAddresses = self.dangerouslyFollowsRedirectsToLocalAddresses
        let diagnoser = ServerDiagnoser(trust: self.trust, configuration: configuration)
        let diagnosed = try await diagnoser.diagnose(endpoint, url: server)
        let suggestion = self.suggestion(for: destination, diagnosed.diagnosis.appTransportSecurity)
        return SuggestedException(server: server, suggestion: suggestion, isDescribed: false, diagnosed: diagnosed)
    }

    private func suggestion(for destination: ATSDestination, _ facts: ATSServerFacts) -> ATSSuggestion {
        ATSSuggestion(
            for: destination, facts: facts, dictionary: self.policy.dictionary,
            configuration: self.policy.configuration, client: self.client)
    }
}
