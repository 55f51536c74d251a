//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// Whether a server is trusted for a host, and everything that led to it.
public struct ServerTrustDecision: Sendable {
    /// Why the server is not trusted; `nil` when it is.
    public let failure: ServerTrustFailure?

    /// The evaluation behind the decision; `nil` when nothing was evaluated.
    public let result: TrustResult?

    /// What came of the pins; `nil` when nothing is pinned, or nothing was evaluated.
    public let pinning: PinningOutcome?

    /// What was fetched for it, where something could be; ``result`` is in it.
    public internal(set) var fetched: FetchedTrustResult?

    /// Whether a refusal is one of the ordinary rules alone, which a handler may lift. Evaluators of every other kind are the
    /// program's word already: pins, anchors, revocation, AFNetworking's settings.
    package internal(set) var leavesRefusalToProgram = false

    /// Whether the server is trusted.
    public var isTrusted: Bool { self.failure == nil }

    /// Whether something that the question lets be fetched could change the decision.
    package var mayChangeByFetching: Bool {
        self.result.map { $0.mayChange(by: $0.trust?.configuration.fetching) } ?? false
    }

    /// A decision by an evaluator of your own to trust.
    ///
    /// - Parameters:
    ///   - result: The evaluation behind it.
    ///   - pinning: What came of pins.
    public static func trusted(_ result: TrustResult?, pinning: PinningOutcome? = nil) -> ServerTrustDecision {
        ServerTrustDecision(failure: nil, result: result, pinning: pinning)
    }

    /// A decision not to trust.
    ///
    /// - Parameters:
    ///   - failure: Why not.
    ///   - result: The evaluation behind it, if there was one.
    ///   - pinning: What came of pins.
    public static func refused(
        _ failure: ServerTrustFailure, _ result: TrustResult? = nil, pinning: PinningOutcome? = nil
    ) -> ServerTrustDecision {
        ServerTrustDecision(failure: failure, result: result, pinning: pinning)
    }

    /// The decision as an error, for those who rather catch.
    ///
    /// - Returns: The evaluation behind it.
    /// - Throws: ``ServerTrustFailure`` when the server is not trusted.
    @discardableResult
    public func get() throws(ServerTrustFailure) -> TrustResult? {
        if let failure { throw failure }
        return self.result
    }
}

/// What came of the pins of a host.
public enum PinningOutcome: Sendable {
    /// The path has what is pinned.
    case matched
    /// Something else speaks against the path, and the pins were not what it was refused for.
    case notCompared
    /// The path has not what is pinned. Whether it was refused for it is the decision's to say.
    case mismatched(PinMismatch)
    /// The path ends at an anchor that needs no pin.
    case exempt(AnchorClass)
    /// The pins have ended, and were not looked for.
    case expired(PinExpiration)
}
