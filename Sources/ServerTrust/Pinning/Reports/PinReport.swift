//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A report about a connection with a path that did not match its pins.
///
/// A ``PinReporter`` hands reports to the program. ``json`` is the report in the format of RFC 7469.
public struct PinReport: Sendable {
    /// The requested host.
    public let host: String
    /// The port, or `nil` if the caller did not give one.
    public let port: Int?
    /// The pattern with the pins, or `nil` outside a ``ServerTrustManager``.
    public let pattern: HostPattern?
    /// The date of the evaluation.
    public let date: Date
    /// `true` if the server was trusted despite the mismatch.
    public let wasTrusted: Bool
    /// The code of the failure, or `nil` if the server was trusted.
    public let failureCode: String?
    /// The certificates that the server sent, the path built from them, and the expected pins.
    public let mismatch: PinMismatch

    /// Creates a report, for tests of its handling.
    ///
    /// - Parameters:
    ///   - mismatch: The certificates, the path and the pins, with the host and the date.
    ///   - port: The port, if it is known.
    ///   - pattern: The pattern with the pins.
    ///   - failureCode: The code of the failure, or `nil` if the server was trusted.
    public init(_ mismatch: PinMismatch, port: Int?, pattern: HostPattern? = nil, failureCode: String?) {
        self.host = mismatch.host
        self.port = port
        self.pattern = pattern
        self.date = mismatch.date
        self.wasTrusted = failureCode == nil
        self.failureCode = failureCode
        self.mismatch = mismatch
    }

    /// Creates the report of a decision. `nil` if the path matched the pins or nothing is pinned.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - port: The port, if it is known.
    ///   - pattern: The pattern with the pins.
    public init?(_ decision: ServerTrustDecision, port: Int?, pattern: HostPattern? = nil) {
        guard case .mismatched(let mismatch)? = decision.pinning else { return nil }
        self.init(mismatch, port: port, pattern: pattern, failureCode: decision.failure?.code)
    }
}
