//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrustNIO
public import TLSProbe

/// Asks servers what they speak, with few connections and without shaking hands where that can be avoided.
///
/// A prober may be used for any number of servers at the same time; its limits hold for all of them together.
public struct Prober: Sendable {
    /// How to ask.
    public let configuration: Configuration

    /// A prober.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Asks a server.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - plan: How much to ask.
    /// - Returns: What it answered. Whatever goes wrong is in there.
    public func facts(about endpoint: TLSEndpoint, plan: ProbePlan) async -> ServerFacts {
        ServerFacts(plan: plan, serverName: endpoint.host)
    }
}
