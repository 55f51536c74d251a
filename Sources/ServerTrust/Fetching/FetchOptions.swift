//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The kinds of data that an evaluation may fetch, and the limits.
///
/// By default it fetches revocation evidence, but no issuers. The limits protect the program from servers that name many or slow
/// URLs.
public struct FetchOptions: Sendable, Hashable {
    /// `true` to fetch missing issuers from the URLs in certificates (RFC 5280 §4.2.2.1), if no path reaches an anchor without
    /// them. The server that presents a certificate then chooses the destination of the connection.
    public var fetchesIssuers = false
    /// `true` to fetch OCSP responses and revocation lists as far as the policies require and allow it. This happens only for paths
    /// without other failures, so that only trusted authorities choose the destination.
    public var fetchesRevocation = true
    /// The maximum number of fetches of one evaluation, not counting redirects.
    public var maximumFetches = 16
    /// The maximum total size of all answers, in octets.
    public var maximumTotalSize = 128 << 20
    /// The maximum number of URLs of one kind to try for one certificate.
    public var maximumLocations = 3
    /// The maximum number of simultaneous fetches.
    public var concurrency = 4
    /// The time limit for all fetches of one evaluation.
    public var deadline: Duration = .seconds(15)
    /// The time limit for one fetch.
    public var timeout: Duration = .seconds(5)
    /// `true` to send a nonce of 32 random octets with OCSP requests (RFC 9654), so that no old answer passes for a new one. Most
    /// public responders ignore nonces. Answers to requests with a nonce are not cached. A policy that requires nonces has the same
    /// effect.
    public var usesNonce = false
    /// The cache for answers, which later evaluations use, or `nil` to keep none.
    public var cache: ResourceCache?
    /// The date for the lifetimes of cached answers, or `nil` for the current date, regardless of ``Trust/verifyDate``.
    public var now: Date?

    /// Creates the default options.
    public init() {}
}
