//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an evaluation may fetch, and the limits on it.
public struct FetchOptions: Sendable, Hashable {
    /// Whether issuers that were not sent are looked for where certificates say they are (RFC 5280 §4.2.2.1), when no path
    /// reaches an anchor without. The server that presents a certificate chooses what is then connected to.
    public var fetchesIssuers = false
    /// Whether OCSP responses and revocation lists are fetched as far as the policies ask for them and do not forbid it;
    /// only for paths that are in order otherwise, so that only trusted authorities choose what is connected to.
    public var fetchesRevocation = true
    /// The most fetches of one evaluation, redirects not counted.
    public var maximumFetches = 16
    /// The most octets of all answers together.
    public var maximumTotalSize = 128 << 20
    /// The most URLs of one kind that are tried for one certificate.
    public var maximumLocations = 3
    /// The most fetches at the same time.
    public var concurrency = 4
    /// The time for all fetches of one evaluation.
    public var deadline: Duration = .seconds(15)
    /// The time for one fetch.
    public var timeout: Duration = .seconds(5)
    /// Whether OCSP requests carry a nonce of 32 random octets (RFC 9654), so that no old answer passes for a new one.
    /// Most public responders ignore it; answers are then not cached. A policy that requires nonces has them sent.
    public var usesNonce = false
    /// Where answers are kept for later evaluations; `nil` keeps none.
    public var cache: ResourceCache?
    /// The moment of the evaluation for the cache's lifetimes; `nil` is now, whatever ``Trust/verifyDate`` is.
    public var now: Date?

    /// The defaults.
    public init() {}
}
