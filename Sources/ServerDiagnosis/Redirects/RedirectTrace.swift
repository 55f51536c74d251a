//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity

/// The redirects of a server's page.
///
/// ``DiagnosedServer/redirects`` has it if the page was requested.
public struct RedirectTrace: Sendable {
    /// The targets of the redirects, in their order.
    public var destinations: [ATSDestination] = []
    /// The reason for a missing answer from the last target or, without redirects, from the server. `nil` if there is an answer.
    public var failure: String?
    /// The reason that the first handshake failed although the server was reached, or `nil` if it did not fail.
    public var handshakeFailure: String?
    /// `true` if there was a redirect, even one without a usable target.
    public var isRedirected = false
    /// The number of connections.
    public var connections = 0

    /// Creates the trace of a page without a redirect.
    public init() {}

    /// The reason that the last redirect failed, or `nil` if it did not or there was none.
    public var redirectFailure: String? { self.destinations.isEmpty && !self.isRedirected ? nil : self.failure }
}
