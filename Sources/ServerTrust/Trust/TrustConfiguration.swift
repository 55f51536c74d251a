//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The settings of an evaluation: what is trusted, the rules, and what may be fetched.
///
/// ```swift
/// let apple = TrustConfiguration.apple               // what an iPhone trusts
/// let machine = try TrustConfiguration.system()      // what this machine's store has
/// let own = TrustConfiguration.only([ourRoot])       // nothing else
/// ```
///
/// Every entry of this package that judges servers holds one: ``Trust``, the gate, sessions, and diagnoses. Whatever is
/// trusted, the rules are Apple's unless you set others: certificate transparency for servers below public roots, and no path
/// through a root that Apple blocks.
///
/// A configuration knows the age of the list of logs as of when it was made. A program that runs for weeks makes a new one
/// now and then.
public struct TrustConfiguration: Sendable {
    /// What is trusted.
    public var anchors: TrustAnchors

    /// The classes of anchors that count, of all there are in ``anchors``: without `.user`, what the machine's administrator
    /// added is not trusted, as with Android's apps.
    public var anchorClasses = AnchorClass.all

    /// The moment to evaluate at (`SecTrustSetVerifyDate`); `nil` is the moment of each evaluation.
    public var verifyDate: Date?

    /// The rules.
    public var profile = ValidationProfile.apple

    /// Public suffixes, which wildcards must not cover; by default the newer one of the machine's list and the built-in one.
    /// `nil` lets a certificate for `*.co.uk` speak for every name below it.
    public var publicSuffixes: PublicSuffixList? = PublicSuffixFile.system()

    /// The inputs to certificate policy processing (RFC 5280 §6.1.1).
    public var certificatePolicies = PolicyInputs()

    /// The most intermediates that are not self-issued; `nil` for no limit but the budget's.
    public var maximumIntermediates: Int?

    /// Whether and how revocation is checked, and the lists and responses there are to check it with, which
    /// ``TrustPolicy/revocation(_:)`` works with too. By default what is put here counts, and nothing is fetched for it.
    public var revocation = RevocationPolicy.atHand

    /// Whether and how certificate transparency is asked for; `nil` asks nothing. Apple's systems ask it of servers below
    /// public roots.
    public var transparency: TransparencyRequest?

    /// The policies that mean extended validation; `nil` does not look for it. It accepts and refuses nothing.
    public var extendedValidation: ExtendedValidationProgram?

    /// Remembers authorities' signatures from one evaluation to the next; share one between the evaluations of a program.
    /// `nil` verifies every signature every time. What is remembered was verified, byte for byte, and changes no verdict.
    public var signatureCache: SignatureCache?

    /// The work one evaluation may do.
    public var budget = Budget()

    /// What fetches issuers and revocation, and its limits; `nil` fetches nothing. ``Trust/evaluate()`` never fetches.
    public var fetching: Fetching?

    /// Apple's rules for anchors of your choice.
    ///
    /// - Parameters:
    ///   - anchors: What is trusted.
    ///   - data: Apple's data: the logs of certificate transparency, and the roots that count as public. Which roots are
    ///     blocked is a property of the anchors.
    ///   - now: The present, which the list of logs is too old for or not.
    public init(anchors: TrustAnchors, data: AppleTrustData = .builtIn, now: Date = Date()) {
        self.anchors = anchors
        self.transparency = data.transparency(at: now)
        self.extendedValidation = data.extendedValidation
    }
}

extension TrustConfiguration {
    /// Apple's whole verdict by the built-in data: the roots of its program, certificate transparency, blocked roots, extended
    /// validation.
    public static var apple: TrustConfiguration { TrustConfiguration(anchors: .apple) }

    /// Apple's whole verdict by data of your choice, such as ``AppleTrustData/atHand(environment:)``.
    ///
    /// - Parameters:
    ///   - data: The roots and the logs.
    ///   - now: The present, which the list of logs is too old for or not.
    /// - Throws: ``TrustStoreError`` when the data have no root for TLS servers.
    public static func apple(
        _ data: AppleTrustData, now: Date = Date()
    ) throws(TrustStoreError) -> TrustConfiguration {
        TrustConfiguration(anchors: .store(try .apple(data)), data: data, now: now)
    }

    /// Apple's rules for the roots of this machine's store.
    ///
    /// - Throws: ``TrustStoreError`` when the machine has no store, such as the Debian package ca-certificates.
    public static func system() throws(TrustStoreError) -> TrustConfiguration {
        TrustConfiguration(anchors: .store(try .system()))
    }

    /// Apple's rules for certificates of your own, and nothing else.
    ///
    /// - Parameter certificates: Roots, intermediates or leaves. An empty array trusts nothing.
    public static func only(_ certificates: [Certificate]) -> TrustConfiguration {
        TrustConfiguration(anchors: .only(certificates))
    }

    /// The same, and a certificate of your own is trusted besides.
    public func adding(_ certificate: Certificate) -> TrustConfiguration {
        var configuration = self
        configuration.anchors.add(certificate)
        return configuration
    }
}

extension TrustConfiguration {
    /// A fetcher and its limits.
    public struct Fetching: Sendable {
        /// What reaches the network.
        public var fetcher: any ResourceFetcher {
            didSet { self.identity = ValueIdentity(self.fetcher as? any ResourceFetcher & Hashable) }
        }
        /// What may be fetched, and the limits.
        public var options: FetchOptions
        /// The moment after which nothing is fetched, whatever the limits of one chain are; `nil` for none. A diagnoser sets it
        /// for each server, whose chains and evaluations are many.
        public var end: ContinuousClock.Instant?

        private var identity: ValueIdentity

        /// Fetching within limits.
        ///
        /// - Parameters:
        ///   - fetcher: What reaches the network.
        ///   - options: What may be fetched, and the limits.
        public init(fetcher: any ResourceFetcher, options: FetchOptions) {
            self.fetcher = fetcher
            self.options = options
            self.identity = ValueIdentity(fetcher as? any ResourceFetcher & Hashable)
        }

        /// The limits as far as there is time; `nil` when it is over.
        package var remainingOptions: FetchOptions? {
            guard let end else { return self.options }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return nil }
            var options = self.options
            options.deadline = min(options.deadline, left)
            options.timeout = min(options.timeout, left)
            return options
        }
    }

    /// The same, with one deadline for all that is fetched about one server: a hostile one shows many chains, each of which
    /// names other places.
    ///
    /// - Parameter start: When the server was begun with.
    package func limitingFetches(since start: ContinuousClock.Instant = .now) -> TrustConfiguration {
        var limited = self
        if let deadline = self.fetching?.options.deadline { limited.fetching?.end = start + deadline }
        return limited
    }
}

extension TrustConfiguration.Fetching: Hashable {
    /// Whether they fetch alike. A fetcher that is not Hashable is equal only to itself in copies of this. The cache is not
    /// compared: what is taken from it is verified as what is fetched.
    public static func == (left: Self, right: Self) -> Bool {
        left.identity == right.identity && left.end == right.end
            && left.options.withoutCache == right.options.withoutCache
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identity)
        hasher.combine(self.options.withoutCache)
    }
}

extension FetchOptions {
    fileprivate var withoutCache: FetchOptions {
        var options = self
        options.cache = nil
        return options
    }
}

extension TrustConfiguration: Hashable {
    /// Whether chains are judged alike. What remembers signatures changes no verdict and is not compared.
    public static func == (left: TrustConfiguration, right: TrustConfiguration) -> Bool { left.rules == right.rules }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.rules) }

    private struct Rules: Hashable {
        let anchors: TrustAnchors
        let anchorClasses: Set<AnchorClass>
        let verifyDate: Date?
        let profile: ValidationProfile
        let publicSuffixes: PublicSuffixList?
        let certificatePolicies: PolicyInputs
        let maximumIntermediates: Int?
        let revocation: RevocationPolicy
        let transparency: TransparencyRequest?
        let extendedValidation: ExtendedValidationProgram?
        let budget: Budget
        let fetching: Fetching?
    }

    private var rules: Rules {
        Rules(
            anchors: self.anchors, anchorClasses: self.anchorClasses, verifyDate: self.verifyDate,
            profile: self.profile, publicSuffixes: self.publicSuffixes, certificatePolicies: self.certificatePolicies,
            maximumIntermediates: self.maximumIntermediates, revocation: self.revocation,
            transparency: self.transparency, extendedValidation: self.extendedValidation, budget: self.budget,
            fetching: self.fetching)
    }
}
