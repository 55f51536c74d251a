//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Any evaluator, and a short way to write the usual ones.
///
/// ```swift
/// let manager = try ServerTrustManager(evaluators: [
///     "api.example.com": .pins([pin, backupPin]),
///     "**.internal": .anchored([ourRoot]),
/// ])
/// ```
public struct ServerTrustEvaluator: ServerTrustEvaluating {
    /// The evaluator that decides.
    public let base: any ServerTrustEvaluating
    private let identity: ValueIdentity

    /// Wraps an evaluator; one that is wrapped already is not wrapped twice.
    public init(_ base: any ServerTrustEvaluating) {
        if let wrapped = base as? ServerTrustEvaluator {
            self = wrapped
            return
        }
        self.base = base
        self.identity = ValueIdentity(base as? any ServerTrustEvaluating & Hashable)
    }

    /// Has the wrapped evaluator decide.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.base.evaluate(trust, forHost: host)
    }

    /// Has the wrapped evaluator decide.
    public func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.base.evaluate(trust, forHost: host, port: port)
    }

    /// Has the wrapped evaluator decide.
    public func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.base.evaluate(trust, forHost: host, fetching: fetcher, options: options)
    }

    /// Has the wrapped evaluator decide.
    public func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.base.evaluate(trust, forHost: host, port: port, fetching: fetcher, options: options)
    }
}

extension ServerTrustEvaluator: Hashable {
    /// Whether the wrapped evaluators are equal. One that is not Hashable is equal only to itself in copies of this.
    public static func == (left: ServerTrustEvaluator, right: ServerTrustEvaluator) -> Bool {
        left.identity == right.identity
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.identity) }
}

// Wherever an evaluator is wanted these may be written with a dot, beside evaluators made by their own names.
extension ServerTrustEvaluating where Self == ServerTrustEvaluator {
    /// Apple's ordinary rules: ``DefaultTrustEvaluator``.
    public static var `default`: ServerTrustEvaluator { ServerTrustEvaluator(DefaultTrustEvaluator()) }

    /// Apple's ordinary rules, and pins: ``PinsTrustEvaluator``.
    ///
    /// - Parameter pins: The pins. None refuses everything.
    public static func pins(_ pins: [Pin]) -> ServerTrustEvaluator {
        .pins((try? PinSet(pins)) ?? .refusingEverything)
    }

    /// Apple's ordinary rules, and pins with what goes with them: ``PinsTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - pins: The pins.
    ///   - validateHost: Whether the certificate must be for the host.
    public static func pins(_ pins: PinSet, validateHost: Bool = true) -> ServerTrustEvaluator {
        ServerTrustEvaluator(PinsTrustEvaluator(pins, validateHost: validateHost))
    }

    /// Apple's ordinary rules with authorities of your own: ``AnchoredTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - anchors: What is trusted.
    ///   - keepsOthers: Whether what was trusted before still is.
    ///   - validateHost: Whether the certificate must be for the host.
    public static func anchored(
        _ anchors: [Certificate], keepsOthers: Bool = false, validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            AnchoredTrustEvaluator(anchors: anchors, keepsOthers: keepsOthers, validateHost: validateHost))
    }

    /// Pinned certificates: ``PinnedCertificatesTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - certificates: What is pinned.
    ///   - acceptSelfSignedCertificates: Whether the pinned certificates are what is trusted.
    ///   - performDefaultValidation: Whether every rule holds; without, a pinned certificate's word is enough.
    ///   - validateHost: Whether the certificate must be for the host.
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

    /// Pinned keys: ``PublicKeysTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - keys: What is pinned.
    ///   - performDefaultValidation: Whether every rule holds; without, a pinned key's word is enough.
    ///   - validateHost: Whether the certificate must be for the host.
    public static func publicKeys(
        _ keys: [PublicKey], performDefaultValidation: Bool = true, validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            PublicKeysTrustEvaluator(
                keys: keys, performDefaultValidation: performDefaultValidation, validateHost: validateHost))
    }

    /// Apple's ordinary rules, and revocation: ``RevocationTrustEvaluator``.
    ///
    /// - Parameters:
    ///   - options: How it is checked.
    ///   - performDefaultValidation: Whether the rules for TLS servers hold, too.
    ///   - validateHost: Whether the certificate must be for the host.
    public static func revocation(
        _ options: RevocationOptions = .useAnyAvailableMethod, performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator(
            RevocationTrustEvaluator(
                options: options, performDefaultValidation: performDefaultValidation, validateHost: validateHost))
    }

    /// Several evaluators, all of which must trust: ``CompositeTrustEvaluator``.
    public static func composite(_ evaluators: [any ServerTrustEvaluating]) -> ServerTrustEvaluator {
        ServerTrustEvaluator(CompositeTrustEvaluator(evaluators))
    }

    /// An evaluator of your own.
    public static func custom(_ evaluator: some ServerTrustEvaluating) -> ServerTrustEvaluator {
        ServerTrustEvaluator(evaluator)
    }

    /// Trusts every server, whatever it sends: ``DisabledTrustEvaluator``.
    ///
    /// - Warning: Anyone who can reach the connection can read and change everything on it.
    public static var dangerouslyDisabled: ServerTrustEvaluator { ServerTrustEvaluator(DisabledTrustEvaluator()) }
}
