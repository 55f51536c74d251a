//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust

/// Looks at a server with a few handshakes: enough to tell what App Transport Security makes of it, whatever an Info.plist
/// says.
///
/// Which cipher suite a server chooses depends on what it is offered. So everything is offered first, and then what each
/// group of suites allows, unless the answer is clear already: one connection to most servers, four at most.
public struct ServerSurvey: Sendable {
    /// What came of it.
    public struct Result: Sendable {
        /// What the server is known to complete, and what it answers to the rest.
        public let facts: ATSServerFacts
        /// What it presented first; `nil` when it never got as far.
        public let chain: PresentedChain?
        /// Why an attempt failed, the first reason of several; `nil` when none did.
        public let failure: TLSConnectionError?
    }

    /// The server.
    public let endpoint: TLSEndpoint
    /// The time each connection has.
    public var timeout = Duration.seconds(10)
    /// Whose lists of cipher suites are offered.
    public var strictness = ATSStrictness.engine
    /// Judges a chain.
    private let evaluate: @Sendable (PresentedChain) async throws -> TrustResult?

    /// A survey.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - evaluate: Judges the chain of a handshake, as `ATSRequirements.trustPolicy(hostname:)` asks for it; `nil` for a
    ///     chain that cannot be judged.
    public init(
        _ endpoint: TLSEndpoint, evaluate: @escaping @Sendable (PresentedChain) async throws -> TrustResult?
    ) {
        self.endpoint = endpoint
        self.evaluate = evaluate
    }

    /// Connects.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, and what `evaluate` throws. What is wrong with the server
    ///   is in the result.
    public func run() async throws -> Result {
        var (handshakes, chain, failure) = (
            [ATSServerFacts.Handshake](), PresentedChain?.none, TLSConnectionError?.none
        )
        for suites in self.offers where Self.isOpen(suites, after: handshakes) {
            do {
                let presented = try await self.presentedChain(offering: suites)
                chain = chain ?? presented
                if case .failed(let error) = presented.handshake { throw error }
                if let handshake = try await self.handshake(presented) { handshakes.append(handshake) }
            } catch let error as TLSConnectionError {
                failure = failure ?? error
                // Where there is no server, another offer finds none either.
                if error.atsFailure.isBelowTLS { break }
            }
        }
        let answer = failure?.atsFailure ?? .nothingInCommon
        return Result(facts: ATSServerFacts(handshakes: handshakes, failure: answer), chain: chain, failure: failure)
    }

    /// What is offered, the most first.
    private var offers: [[CipherSuite]] {
        // Forward secrecy first, so that a server that goes by the client's order is not asked twice.
        var everything = ATSCipherSuiteGroup.ats.suites(.engine)
        for suite in ATSStrictness.allCases.flatMap({ ATSCipherSuiteGroup.unrestricted.suites($0) })
        where !everything.contains(suite) {
            everything.append(suite)
        }
        let groups = [ATSCipherSuiteGroup.atsAndCompatible, .ats, .fcp21].map { $0.suites(self.strictness) }
        return [everything] + groups
    }

    /// Whether it is not clear yet what the server makes of an offer. TLS 1.3 is part of each of them, and what is chosen
    /// among many suites is chosen among fewer of the same.
    private static func isOpen(_ suites: [CipherSuite], after handshakes: [ATSServerFacts.Handshake]) -> Bool {
        !handshakes.contains { $0.version >= .tls13 || suites.contains($0.cipherSuite) }
    }

    private func presentedChain(offering suites: [CipherSuite]) async throws -> PresentedChain {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = self.timeout
        configuration.cipherSuites = suites
        return try await TLSConnection.presentedChain(of: self.endpoint, configuration: configuration)
    }

    private func handshake(_ presented: PresentedChain) async throws -> ATSServerFacts.Handshake? {
        guard let version = presented.protocolVersion, let suite = presented.cipherSuite else { return nil }
        return ATSServerFacts.Handshake(
            version, suite, usesExtendedMasterSecret: presented.usesExtendedMasterSecret,
            trust: try await self.evaluate(presented))
    }
}

extension TLSConnectionError {
    /// What App Transport Security makes of it.
    public var atsFailure: ATSConnectionFailure {
        switch self.code {
        case .resolutionFailed: .hostNotFound
        case .connectionRefused, .unreachable: .notConnected
        case .timedOut: .timedOut
        case .closedDuringHandshake: .closed
        case .handshakeFailed:
            self.alert.map { .alert($0) } ?? .nothingInCommon
        default: .protocolError
        }
    }
}
