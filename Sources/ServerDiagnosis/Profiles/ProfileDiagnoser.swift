//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
package import AppleFiles
import CertificatePath
package import ServerTrust
import ServerTrustNIO
import TLSWire

/// A diagnoser of the servers in a configuration profile, each under the rules that apply to it.
package struct ProfileDiagnoser: Sendable {
    /// The ways to install a profile on a device.
    package enum Installation: String, Sendable, CaseIterable {
        case mdm
        case configurator
    }

    private let diagnoser: ServerDiagnoser
    private let profile: ConfigurationProfile
    /// `true` if the roots of the profile are trusted. Since iOS 10.3 the roots of a profile that a person installs are untrusted
    /// until they are enabled in Certificate Trust Settings (https://support.apple.com/102390).
    private let trustsRoots: Bool
    /// The address or name to connect to instead of each host, or `nil` to use the host.
    private let connectAddress: String?

    private static let concurrency = 4

    /// Creates a diagnoser for a profile.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - diagnoser: The diagnoser of servers, with its anchors in addition to the profile's.
    ///   - installation: The way that the profile is installed, or `nil` if a person may install it, unless it enrols the device.
    ///   - connectAddress: The address or name to connect to instead of each host, or `nil` to use the host.
    package init(
        _ profile: ConfigurationProfile, _ diagnoser: ServerDiagnoser, installedBy installation: Installation? = nil,
        connectAddress: String? = nil
    ) {
        self.connectAddress = connectAddress
        self.profile = profile
        self.diagnoser = diagnoser
        self.trustsRoots = profile.enrols || installation != nil
    }

    /// Diagnoses the servers of the profile.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func diagnose() async throws -> DiagnosedProfile {
        var servers: [DiagnosedProfile.Server] = []
        var rest = self.profile.servers[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.concurrency))
            servers += try await batch.concurrentMap { server in try await self.diagnose(server) }
            rest = rest.dropFirst(Self.concurrency)
        }
        return DiagnosedProfile(profile: self.profile, servers: servers, trustsRoots: self.trustsRoots)
    }

    private func diagnose(_ server: ProfileServer) async throws -> DiagnosedProfile.Server {
        switch server.rule {
        case .exempt, .notAsked: return DiagnosedProfile.Server(server: server, result: .notAsked)
        case .management, .tls: break
        }
        let endpoint: TLSEndpoint
        do {
            endpoint = try TLSEndpoint(parsing: server.address, connectAddress: self.connectAddress)
        } catch {
            return DiagnosedProfile.Server(server: server, result: .unreadable("\(error)"))
        }
        return try await self.diagnose(server, endpoint)
    }
}

// MARK: - One server

extension ProfileDiagnoser {
    private func diagnose(_ server: ProfileServer, _ endpoint: TLSEndpoint) async throws -> DiagnosedProfile.Server {
        var rules = Rules(isHard: server.requiresRevocation)
        rules.isExempt = self.profile.transparencyExemptions.covers(endpoint.host.text)
        rules.trustsRoots = self.trustsRoots
        var asked = try await self.ask(server, endpoint, by: rules)
        let keys = Set(asked.results.flatMap { $0.path.map { $0.publicKey.sha256 } })
        let isExemptByKey = !rules.isExempt && !keys.isDisjoint(with: self.profile.transparencyExemptions.keys)
        let isHardByKey = !rules.isHard && !keys.isDisjoint(with: self.profile.revocationKeys)
        if isExemptByKey || isHardByKey {
            (rules.isExempt, rules.isHard) = (rules.isExempt || isExemptByKey, rules.isHard || isHardByKey)
            asked = try await self.ask(server, endpoint, by: rules)
        }
        var result = DiagnosedProfile.Server(server: server, result: .asked(asked))
        result.isUnpinned = self.isUnpinned(asked, server)
        if !self.trustsRoots, !self.profile.roots.isEmpty, result.outcome == .failed {
            rules.trustsRoots = true
            let other = DiagnosedProfile.Server(
                server: server, result: .asked(try await self.ask(server, endpoint, by: rules)))
            result.isAcceptedWithRoots = other.outcome == .passed
        }
        return result
    }

    /// The differences from the rules for a server outside any profile.
    private struct Rules {
        var isHard: Bool
        var isExempt = false
        var trustsRoots = false
    }

    private func ask(_ server: ProfileServer, _ endpoint: TLSEndpoint, by rules: Rules) async throws -> DiagnosedServer
    {
        var (trust, configuration) = (self.diagnoser.trust, self.diagnoser.configuration)
        if rules.trustsRoots { for root in self.profile.roots { trust.rules.anchors.add(root, as: .user) } }
        if rules.isExempt { trust.rules.transparency = nil }
        if rules.isHard {
            trust.rules.revocation.mode = .hard
            trust.rules.fetching?.options.fetchesRevocation = true
        }
        configuration.connections.startTLS = server.startTLS.flatMap(StartTLSProtocol.init(rawValue:))
        // Mail servers have no pages.
        if server.startTLS != nil { configuration.followsRedirects = false }
        let diagnoser = ServerDiagnoser(trust: trust, configuration: configuration)
        return try await diagnoser.diagnose(endpoint, url: server.address)
    }

    private func isUnpinned(_ asked: DiagnosedServer, _ server: ProfileServer) -> Bool {
        guard !server.pins.isEmpty else { return false }
        let pinned = Set(self.profile.certificates(server.pins).map(\.sha256Fingerprint))
        return asked.results.contains { result in
            !result.path.contains { pinned.contains($0.sha256Fingerprint) }
        }
    }
}

extension DiagnosedServer {
    fileprivate var results: [TrustResult] {
        let servers = self.addresses.isEmpty ? [self] : self.addresses
        return servers.flatMap { $0.diagnosis.trust.compactMap(\.self) }
    }
}

/// A configuration profile with the diagnoses of its servers.
package struct DiagnosedProfile: Sendable {
    package let profile: ConfigurationProfile
    /// The servers, in the order of the profile.
    package let servers: [Server]
    package let trustsRoots: Bool

    /// A server of the profile with its diagnosis.
    package struct Server: Sendable {
        /// The result for a server.
        package enum Result: Sendable {
            case asked(DiagnosedServer)
            /// The server is exempt, or does not speak TLS over TCP.
            case notAsked
            /// The profile's text does not name a server. The value is the error.
            case unreadable(String)
        }

        /// The server as named in the profile.
        package let server: ProfileServer
        package let result: Result
        package fileprivate(set) var isUnpinned = false
        /// `true` if the server passes once full trust for the profile's roots is enabled.
        package fileprivate(set) var isAcceptedWithRoots = false

        init(server: ProfileServer, result: Result) { (self.server, self.result) = (server, result) }

        /// The outcome under the rule that applies to the server, or `nil` if it was not probed.
        package var outcome: ATSOutcome? {
            switch self.result {
            case .notAsked: return nil
            case .unreadable: return .failed
            case .asked(let asked):
                if self.isUnpinned { return .failed }
                return self.verdict(asked)?.outcome ?? .unknown
            }
        }

        /// Returns the verdict that decides.
        package func verdict(_ asked: DiagnosedServer) -> DiagnosisVerdict? {
            let verdicts = asked.verdicts
            let fcp = self.server.rule == .management ? verdicts.first { $0.subject == .fcp } : nil
            return fcp ?? verdicts.first { $0.subject == .trust }
        }
    }
}
