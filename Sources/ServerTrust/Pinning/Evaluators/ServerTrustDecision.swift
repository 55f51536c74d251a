//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The decision of an evaluator about a server, with its reason and the evaluation behind it.
///
/// Use ``isTrusted`` or ``get()`` for the verdict. ``failure`` has the reason for a refusal and its remedy.
public struct ServerTrustDecision: Sendable {
    /// The reason why the server is not trusted, or `nil` if it is trusted.
    public let failure: ServerTrustFailure?

    /// The evaluation behind the decision, or `nil` if nothing was evaluated.
    public let result: TrustResult?

    /// The outcome of the pins, or `nil` if nothing is pinned or nothing was evaluated.
    public let pinning: PinningOutcome?

    /// The evaluation with its fetches, which includes ``result``, or `nil` if nothing could be fetched.
    public internal(set) var fetched: FetchedTrustResult?

    /// `true` if only the ordinary rules decided, so that a handler may lift a refusal. All other evaluators already express the
    /// program's decision: pins, anchors, revocation, AFNetworking's settings.
    package internal(set) var leavesRefusalToProgram = false

    /// `true` if the server is trusted.
    public var isTrusted: Bool { self.failure == nil }

    /// `true` if data that the configuration allows to fetch could change the decision.
    package var mayChangeByFetching: Bool {
        self.result.map { $0.mayChange(by: $0.trust?.configuration.fetching) } ?? false
    }

    /// Creates a decision to trust the server, for evaluators of your own.
    ///
    /// - Parameters:
    ///   - result: The evaluation behind the decision.
    ///   - pinning: The outcome of the pins.
    public static func trusted(_ result: TrustResult?, pinning: PinningOutcome? = nil) -> ServerTrustDecision {
        ServerTrustDecision(failure: nil, result: result, pinning: pinning)
    }

    /// Creates a decision to refuse the server.
    ///
    /// - Parameters:
    ///   - failure: The reason for the refusal.
    ///   - result: The evaluation behind the decision, if there was one.
    ///   - pinning: The outcome of the pins.
    public static func refused(
        _ failure: ServerTrustFailure, _ result: TrustResult? = nil, pinning: PinningOutcome? = nil
    ) -> ServerTrustDecision {
        ServerTrustDecision(failure: failure, result: result, pinning: pinning)
    }

    /// Returns the evaluation behind a decision to trust, and throws the failure of a refusal.
    ///
    /// - Returns: The evaluation behind the decision.
    /// - Throws: ``ServerTrustFailure`` if the server is not trusted.
    @discardableResult
    public func get() throws(ServerTrustFailure) -> TrustResult? {
        if let failure { throw failure }
        return self.result
    }
}

/// The outcome of the pins of a host.
///
/// ``ServerTrustDecision/isTrusted`` has the verdict: a mismatch may be only reported.
public enum PinningOutcome: Sendable {
    /// The path matches the pins.
    case matched
    /// The path was refused for another fault, and not for the pins.
    case notCompared
    /// The path does not match the pins. The decision says if the server was refused for it.
    case mismatched(PinMismatch)
    /// The path ends at an anchor of a class that needs no pin.
    case exempt(AnchorClass)
    /// The pins have expired and were not checked.
    case expired(PinExpiration)
}
