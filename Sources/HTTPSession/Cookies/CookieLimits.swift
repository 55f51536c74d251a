//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on the cookies that a jar stores and sends.
///
/// The defaults are those of curl. They satisfy the minimum of RFC 6265bis §6.1.
public struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies of one domain. RFC 6265bis requires at least 50, and browsers allow 180.
    public var perDomain = 180
    /// The maximum number of cookies of all domains.
    public var total = 3_000
    /// The maximum number of `Set-Cookie` fields that are read from one response.
    public var perResponse = 50
    /// The maximum number of cookies in one request.
    public var perRequest = 150
    /// The exclusive maximum size of the `Cookie` field in octets, including its name, the colon and a space.
    public var requestOctets = 8_190
    /// The maximum lifetime of a cookie (RFC 6265bis §5.5), or `nil` for the lifetime that its server sets.
    public var maximumAge: Duration? = .seconds(400 * 86_400)

    /// Creates the default limits.
    public init() {}
}
