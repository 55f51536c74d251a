//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// Where loads are redirected to.
public struct RedirectTrace: Sendable {
    /// The destinations, one after the other.
    public var destinations: [ATSDestination] = []
    /// Why there is no answer, or none from the last of them; `nil` where there is one.
    public var failure: String?
    /// Why the first connection did not come about although there is a server: its handshake failed; `nil` where it did not.
    public var handshakeFailure: String?
    /// Whether there was a redirect, also where it names no place that can be asked.
    public var isRedirected = false
    /// How many connections it took.
    public var connections = 0

    /// A page that answers without a redirect.
    public init() {}

    /// Why the last redirect came to nothing; `nil` where it did not, or there was none.
    public var redirectFailure: String? { self.destinations.isEmpty && !self.isRedirected ? nil : self.failure }
}
