//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much is asked of a server.
public enum ProbePlan: String, Sendable, Hashable, CaseIterable {
    /// What settles App Transport Security's verdict, whatever an Info.plist says, and nothing else: seven connections at
    /// most.
    case ats
    /// Versions, all cipher suites and groups with the server's order, both RSA and ECDSA chains, and features.
    case standard
    /// And signature schemes, SSL 2.0, and what the server puts up with.
    case deep
}
