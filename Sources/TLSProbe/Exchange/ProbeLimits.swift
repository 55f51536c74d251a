//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much one server may cost.
public struct ProbeLimits: Sendable, Hashable {
    /// The connections to it.
    public var connections = 512
    /// How often an unclear answer is asked for again; with 0, no closed connection is ever a refusal.
    public var retries = 1
    /// After how many questions without an answer, one after the other, it is asked no more.
    public var unanswered = 4

    /// The defaults.
    public init() {}
}
