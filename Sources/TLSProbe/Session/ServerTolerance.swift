//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of the hellos that a server tolerates. It answers no hello beyond them.
struct ServerTolerance: Sendable {
    /// The maximum number of cipher suites in a hello, or `nil` if there is no limit.
    var maximumCipherSuites: Int?
    var acceptsExtensions = true
    var requiresKeyShare = false
    /// `true` if the server answers hellos that request stapling, timestamps and tickets.
    var acceptsFeatures = true
}
