//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What happened to one connection whose path had not what is pinned.
public struct PinReport: Sendable {
    /// The host that was asked for.
    public let host: String
    /// The port; `nil` when the caller did not say.
    public let port: Int?
    /// The pattern whose pins they are; `nil` outside a ``ServerTrustManager``.
    public let pattern: HostPattern?
    /// The moment of the evaluation.
    public let date: Date
    /// Whether the connection was let through all the same.
    public let wasTrusted: Bool
    /// Why it was not; `nil` when it was let through.
    public let failureCode: String?
    /// What the server sent, the path that was built, and what is pinned.
    public let mismatch: PinMismatch

    /// A report, for tests of what is done with one.
    ///
    /// - Parameters:
    ///   - mismatch: What the server sent, the path that was built, and what is pinned; with the host and the moment.
    ///   - port: The port, if it is known.
    ///   - pattern: The pattern whose pins they are.
    ///   - failureCode: Why the connection was not let through; `nil` when it was.
    public init(_ mismatch: PinMismatch, port: Int?, pattern: HostPattern? = nil, failureCode: String?) {
        self.host = mismatch.host
        self.port = port
        self.pattern = pattern
        self.date = mismatch.date
        self.wasTrusted = failureCode == nil
        self.failureCode = failureCode
        self.mismatch = mismatch
    }

    /// The report on a decision; `nil` when the path had what is pinned, or nothing is.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - port: The port, if it is known.
    ///   - pattern: The pattern whose pins they are.
    public init?(_ decision: ServerTrustDecision, port: Int?, pattern: HostPattern? = nil) {
        guard case .mismatched(let mismatch)? = decision.pinning else { return nil }
        self.init(mismatch, port: port, pattern: pattern, failureCode: decision.failure?.code)
    }
}
