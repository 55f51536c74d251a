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

/// The settings of an evaluation: the anchors, the rules, and the limits on fetching.
///
/// ```swift
/// let apple = TrustConfiguration.apple               // the anchors of an iPhone
/// let machine = try TrustConfiguration.system()      // the anchors of this machine's store
/// let own = TrustConfiguration.only([ourRoot])       // no other anchors
/// ```
///
/// Each API of this package that evaluates servers takes one: ``Trust``, the gate, sessions, and diagnoses. The rules are Apple's
/// for all anchors unless you set others: certificate transparency for servers below public roots, and no path through a root that
/// Apple blocks.
///
/// The age of the log list is computed once, with the configuration. A program that runs for weeks should make a new configuration
/// from time to time.
public struct TrustConfiguration: Hashable, Sendable {
    /// The trust anchors.
    public var anchors: TrustAnchors

    /// The classes of anchors that count, among those in ``anchors``. Without `.user`, certificates that the machine's
    /// administrator added are not trusted, as in Android's apps.
    public var anchorClasses = AnchorClass.all

    /// The date of the evaluation (`SecTrustSetVerifyDate`), or `nil` for the current date of each evaluation.
    public var verifyDate: Date?

    /// The rules of validation.
    public var profile = ValidationProfile.apple

    /// The public suffixes, which wildcards must not cover. By default the newer of the machine's list and the built-in one. With
    /// `nil` a certificate for `*.co.uk` matches every name below it.
    public var publicSuffixes: PublicSuffixList? = PublicSuffixFile.system()

    /// The inputs to certificate policy processing (RFC 5280 §6.1.1).
    public var certificatePolicies = PolicyInputs()

    /// The maximum number of intermediates that are not self-issued, or `nil` if only the budget limits them.
    public var maximumIntermediates: Int?

    /// The revocation checks, and the lists and responses to check with, which ``TrustPolicy/revocation(_:)`` also uses. By default
    /// the evidence set here counts, and none is fetched.
    public var revocation = RevocationPolicy.atHand

    /// The requirements of certificate transparency, or `nil` if there are none. Apple's systems require it of servers below public
    /// roots.
    public var transparency: TransparencyRequest?

    /// The certificate policies of extended validation, or `nil` to skip the check. It never affects the verdict.
    public var extendedValidation: ExtendedValidationProgram?

    /// A cache of verified signatures of authorities. Share one between all evaluations of a program. With `nil` every signature is
    /// verified every time. The cache holds verified signatures only, matched byte for byte, and never changes a verdict.
    /// Two configurations that differ in it alone are equal.
    public var signatureCache: SignatureCache? {
        get { self.uncomparedCache.value }
        set { self.uncomparedCache.value = newValue }
    }

    private var uncomparedCache = Uncompared<SignatureCache?>(value: nil)

    /// The rule by which notes announce the end of a certificate. It changes no verdict.
    public var expiryThreshold = ExpiryThreshold.default

    /// The work limit of one evaluation.
    public var budget = Budget()

    /// The fetcher of issuers and revocation evidence with its limits, or `nil` to fetch nothing. ``Trust/evaluate()`` never
    /// fetches.
    public var fetching: Fetching?

    /// Creates a configuration with Apple's rules for the given anchors.
    ///
    /// - Parameters:
    ///   - anchors: The trust anchors.
    ///   - data: Apple's data: the logs of certificate transparency, and the roots that count as public. The blocked roots are a
    ///     property of the anchors.
    ///   - now: The current date, from which the age of the log list is computed.
    public init(anchors: TrustAnchors, data: AppleTrustData = .builtIn, now: Date = Date()) {
        self.anchors = anchors
        self.transparency = data.transparency(at: now)
        self.extendedValidation = data.extendedValidation
    }
}

extension TrustConfiguration {
    /// Apple's full rules by the built-in data: the roots of its program, certificate transparency, blocked roots, extended
    /// validation.
    public static var apple: TrustConfiguration { TrustConfiguration(anchors: .apple) }

    /// Returns Apple's full rules by the given data, such as ``AppleTrustData/atHand(environment:)``.
    ///
    /// - Parameters:
    ///   - data: The roots and the logs.
    ///   - now: The current date, from which the age of the log list is computed.
    /// - Throws: ``TrustStoreError`` if the data have no root for TLS servers.
    public static func apple(
        _ data: AppleTrustData, now: Date = Date()
    ) throws(TrustStoreError) -> TrustConfiguration {
        TrustConfiguration(anchors: .store(try .apple(data)), data: data, now: now)
    }

    /// Returns Apple's rules for the roots of this machine's store.
    ///
    /// - Throws: ``TrustStoreError`` if the machine has no store, which for instance the Debian package ca-certificates provides.
    public static func system() throws(TrustStoreError) -> TrustConfiguration {
        TrustConfiguration(anchors: .store(try .system()))
    }

    /// Returns Apple's rules for the given certificates as the only anchors.
    public static func only(_ certificates: [Certificate]) -> TrustConfiguration {
        TrustConfiguration(anchors: .only(certificates))
    }

    /// Returns the same configuration with one more trusted certificate.
    public func adding(_ certificate: Certificate) -> TrustConfiguration {
        var configuration = self
        configuration.anchors.add(certificate)
        return configuration
    }
}

extension TrustConfiguration {
    /// A fetcher and its limits.
    ///
    /// Set it in a configuration to let evaluations fetch missing issuers and revocation evidence.
    public struct Fetching: Sendable {
        /// The client that reaches the network.
        public var fetcher: any ResourceFetcher {
            didSet { self.identity = ValueIdentity(self.fetcher as? any ResourceFetcher & Hashable) }
        }
        /// The kinds of data that may be fetched, and the limits.
        public var options: FetchOptions
        /// The time after which nothing is fetched, regardless of the limits of one chain, or `nil` if there is none. A diagnoser
        /// sets it for each server, as one server may have many chains and evaluations.
        public var end: ContinuousClock.Instant?

        private var identity: ValueIdentity

        /// Creates a fetcher with limits.
        ///
        /// - Parameters:
        ///   - fetcher: The client that reaches the network.
        ///   - options: The kinds of data that may be fetched, and the limits.
        public init(fetcher: any ResourceFetcher, options: FetchOptions) {
            self.fetcher = fetcher
            self.options = options
            self.identity = ValueIdentity(fetcher as? any ResourceFetcher & Hashable)
        }

        /// The limits within the remaining time, or `nil` if the time is over.
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

    /// Returns the same configuration with one deadline for all fetches about one server. A hostile server may show many chains,
    /// each of which names other URLs.
    ///
    /// - Parameter start: The time at which work on the server began.
    package func limitingFetches(since start: ContinuousClock.Instant = .now) -> TrustConfiguration {
        var limited = self
        if let deadline = self.fetching?.options.deadline { limited.fetching?.end = start + deadline }
        return limited
    }
}

extension TrustConfiguration.Fetching: Hashable {
    /// Returns `true` if both fetch from equal fetchers with equal limits. A fetcher that is not Hashable is equal only to itself
    /// in copies of the same value. The cache is not compared, as cached data are verified like fetched data.
    public static func == (left: Self, right: Self) -> Bool {
        left.identity == right.identity && left.end == right.end
            && left.options.withoutCache == right.options.withoutCache
    }

    /// Hashes the properties that `==` compares, except the end.
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

/// A value that changes no verdict, so that any two are equal.
private struct Uncompared<Value: Sendable>: Hashable, Sendable {
    var value: Value

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
