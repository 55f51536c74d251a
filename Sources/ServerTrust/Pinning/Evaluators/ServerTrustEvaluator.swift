//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A wrapper of any evaluator, with factory methods for the usual ones.
///
/// ```swift
/// let manager = try ServerTrustManager(evaluators: [
///     "api.example.com": .pins([pin, backupPin]),
///     "**.internal": .anchored([ourRoot]),
/// ])
/// ```
public struct ServerTrustEvaluator: ServerTrustEvaluating {
    /// The wrapped evaluator.
    public let base: any ServerTrustEvaluating
    private let identity: ValueIdentity

    /// Wraps an evaluator. A `ServerTrustEvaluator` is not wrapped a second time.
    public init(_ base: any ServerTrustEvaluating) {
        if let wrapped = base as? ServerTrustEvaluator {
            self = wrapped
            return
        }
        self.base = base
        self.identity = ValueIdentity(base as? any ServerTrustEvaluating & Hashable)
    }

    /// Evaluates with the wrapped evaluator.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.base.evaluate(trust, forHost: host)
    }

    /// Evaluates with the wrapped evaluator.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.base.evaluate(trust, forHost: host, port: port)
    }

    /// Evaluates with the wrapped evaluator.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.base.evaluate(trust, forHost: host, fetching: fetcher, options: options)
    }

    /// Evaluates with the wrapped evaluator.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.base.evaluate(trust, forHost: host, port: port, fetching: fetcher, options: options)
    }
}

extension ServerTrustEvaluator: Hashable {
    /// Returns `true` if the wrapped evaluators are equal. An evaluator that is not Hashable is equal only to itself in copies of
    /// the same value.
    public static func == (left: ServerTrustEvaluator, right: ServerTrustEvaluator) -> Bool {
        left.identity == right.identity
    }

    /// Hashes the identity of the wrapped evaluator.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.identity) }
}

// These allow the dot syntax for any parameter of type `some` or `any ServerTrustEvaluating`, next to concrete evaluators.
extension ServerTrustEvaluating where Self == ServerTrustEvaluator {
    /// An evaluator with Apple's ordinary rules: ``DefaultTrustEvaluator``.
    public static var `default`: ServerTrustEvaluator { ServerTrustEvaluator(DefaultTrustEvaluator()) }

    /// Returns an evaluator with Apple's ordinary rules and pins: ``PinsTrustEvaluator``.
    ///
    /// - Parameter pins: The pins. An empty array refuses every server.
    public static func pins(_ pins: [Pin]) -> ServerTrustEvaluator {
        .pins((try? PinSet(pins)) ?? .refusingEverything)
    }

    /// Returns an evaluator with Apple's ordinary rules and a set of pins: ``PinsTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - pins: The pins, with their expiration and exemptions.
    ///   - validateHost: `true` if the certificate must match the host.
    public static func pins(_ pins: PinSet, validateHost: Bool = true) -> ServerTrustEvaluator {
        ServerTrustEvaluator(PinsTrustEvaluator(pins, validateHost: validateHost))
    }

    /// Returns an evaluator with Apple's ordinary rules and anchors of your own: ``AnchoredTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - anchors: The certificates to trust.
    ///   - keepsOthers: `true` to also trust the anchors of the trust configuration.
    ///   - validateHost: `true` if the certificate must match the host.
    public static func anchored(
        _ anchors: [Certificate], keepsOthers: Bool = false, validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            AnchoredTrustEvaluator(anchors: anchors, keepsOthers: keepsOthers, validateHost: validateHost))
    }

    /// Returns an evaluator with pinned certificates: ``PinnedCertificatesTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - certificates: The pinned certificates.
    ///   - acceptSelfSignedCertificates: `true` to trust the pinned certificates as the only anchors.
    ///   - performDefaultValidation: `true` if the path must satisfy every rule. With `false`, a path from a pinned certificate is
    ///     enough.
    ///   - validateHost: `true` if the certificate must match the host.
    public static func pinnedCertificates(
        _ certificates: [Certificate], acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            PinnedCertificatesTrustEvaluator(
                certificates: certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
                performDefaultValidation: performDefaultValidation, validateHost: validateHost))
    }

    /// Returns an evaluator with pinned keys: ``PublicKeysTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - keys: The pinned keys.
    ///   - performDefaultValidation: `true` if the path must satisfy every rule. With `false`, a path from a pinned key is enough.
    ///   - validateHost: `true` if the certificate must match the host.
    public static func publicKeys(
        _ keys: [PublicKey], performDefaultValidation: Bool = true, validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            PublicKeysTrustEvaluator(
                keys: keys, performDefaultValidation: performDefaultValidation, validateHost: validateHost))
    }

    /// Returns an evaluator with Apple's ordinary rules and a revocation check: ``RevocationTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - options: The options of the check.
    ///   - performDefaultValidation: `true` if the rules for TLS servers apply, too.
    ///   - validateHost: `true` if the certificate must match the host.
    public static func revocation(
        _ options: RevocationOptions = .useAnyAvailableMethod, performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            RevocationTrustEvaluator(
                options: options, performDefaultValidation: performDefaultValidation, validateHost: validateHost))
    }

    /// Returns an evaluator that trusts only if all given evaluators do: ``CompositeTrustEvaluator``.
    public static func composite(_ evaluators: [any ServerTrustEvaluating]) -> ServerTrustEvaluator {
        ServerTrustEvaluator(CompositeTrustEvaluator(evaluators))
    }

    /// Returns a wrapper of an evaluator of your own.
    public static func custom(_ evaluator: some ServerTrustEvaluating) -> ServerTrustEvaluator {
        ServerTrustEvaluator(evaluator)
    }

    /// An evaluator that trusts every server, whatever it sends: ``DisabledTrustEvaluator``.
    ///
    /// - Warning: Any attacker on the network path can read and change everything on the connection.
    public static var dangerouslyDisabled: ServerTrustEvaluator { ServerTrustEvaluator(DisabledTrustEvaluator()) }
}
