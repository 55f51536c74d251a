//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much a jar holds and sends. The defaults are curl's, and what RFC 6265bis §6.1 asks for at least.
public struct CookieLimits: Sendable, Hashable {
    /// The most cookies of one domain. RFC 6265bis asks for 50 at least; browsers have 180.
    public var perDomain = 180
    /// The most cookies in all.
    public var total = 3_000
    /// The most `Set-Cookie` fields that are read of one response.
    public var perResponse = 50
    /// The most cookies of one request.
    public var perRequest = 150
    /// What the field of a request stays below, in octets, with its name, a colon and a blank.
    public var requestOctets = 8_190
    /// The longest time that a cookie is kept (RFC 6265bis §5.5); `nil` keeps each as long as its server says.
    public var maximumAge: Duration? = .seconds(400 * 86_400)

    /// The default limits.
    public init() {}
}
