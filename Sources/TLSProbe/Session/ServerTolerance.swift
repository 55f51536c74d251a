//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a server tolerates of a hello: a server that wants less answers nothing else.
struct ServerTolerance: Sendable {
    /// The largest number of cipher suites in one hello; `nil` for any number.
    var maximumCipherSuites: Int?
    /// Whether a hello may have extensions.
    var acceptsExtensions = true
    /// Whether a hello of TLS 1.3 must bring a key share.
    var requiresKeyShare = false
}
