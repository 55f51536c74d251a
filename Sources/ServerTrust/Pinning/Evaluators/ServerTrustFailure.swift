//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reason why a server is not trusted for a host, with the evidence.
///
/// ``message`` and ``remedy`` are for people. ``code`` and ``actions`` are for programs.
public struct ServerTrustFailure: Error, Sendable {
    /// The kinds of reasons.
    public enum Reason: Sendable {
        /// No evaluator matches the host, and all hosts must be evaluated.
        case noEvaluator
        /// The host is not a name or address that a certificate can match.
        case invalidHost(InvalidReferenceIdentity)
        /// The name must be checked, but the caller gave no host.
        case noHost
        /// The evaluator requires pins, but there are none.
        case noPins
        /// The path is not trusted, regardless of pins.
        case untrusted(TrustFailure)
        /// There is no path that could be evaluated.
        case notEvaluated
        /// The path has no other fault, but does not match the pins.
        case notPinned(PinMismatch)
        /// The pins have expired, and their consequence is a refusal.
        case pinsExpired(PinExpiration)
        /// AFNetworking's rules refuse every server with these settings.
        case refusedBySettings(String)
        /// An evaluator of the program refused the server for its own reason.
        case custom(any Error)
    }

    /// The evaluated host, in printable characters.
    public let host: String
    /// The reason.
    public let reason: Reason
    /// The path and the pins it does not match, or `nil` if it matches or nothing is pinned.
    ///
    /// Together with ``Reason/untrusted(_:)`` it does not mean that a key was changed, as the path itself is not valid.
    public let mismatch: PinMismatch?

    /// Creates a failure for an evaluator of your own.
    ///
    /// - Parameters:
    ///   - error: The reason. Its description should say how to solve the problem.
    ///   - host: The host.
    public init(_ error: any Error, forHost host: String) {
        self.init(.custom(error), host: host)
    }

    init(_ reason: Reason, host: String?, mismatch: PinMismatch? = nil) {
        self.host = PrintableText.text(of: host ?? "")
        self.reason = reason
        if case .notPinned(let found) = reason { self.mismatch = found } else { self.mismatch = mismatch }
    }

    /// A short, stable name for programs.
    public var code: String {
        switch self.reason {
        case .noEvaluator: "no-evaluator"
        case .invalidHost: "invalid-host"
        case .noHost: "no-host"
        case .noPins: "no-pins"
        case .untrusted(let failure): failure.primary.code
        case .notEvaluated: "not-evaluated"
        case .notPinned(let mismatch): mismatch.code
        case .pinsExpired: "pins-expired"
        case .refusedBySettings: "refused-by-settings"
        case .custom: "custom"
        }
    }

    /// The fault, in one sentence.
    public var message: String {
        switch self.reason {
        case .noEvaluator: "Nothing says how \(self.host) is to be judged."
        case .invalidHost(let error): "No certificate can match: \(error)."
        case .noHost: "The name is to be checked, and no name was given."
        case .noPins: "Pins are required for \(self.host), and none are given."
        case .untrusted(let failure): failure.primary.message
        case .notEvaluated: "There is no path to judge."
        case .notPinned: "The path of \(self.host) has none of the pinned keys or certificates."
        case .pinsExpired(let expiration): "The pins of \(self.host) ended on \(Timestamp(expiration.date))."
        case .refusedBySettings(let settings): "The settings refuse every server: \(settings)."
        case .custom(let error): "\(error)"
        }
    }

    /// The recommended actions, for programs. Empty if the program itself must be changed.
    public var actions: [TrustRemedy.Action] {
        switch self.reason {
        case .untrusted(let failure): failure.primary.remedy.actions
        case .notPinned: [.updatePins]
        default: []
        }
    }

    /// The remedy, in one sentence.
    public var remedy: String {
        switch self.reason {
        case .noEvaluator: "Add an evaluator for it, or let hosts without one be judged by the default."
        case .invalidHost: "Give the host as it is in the URL, without scheme, port and path."
        case .noHost: "Give the host, or say that no name is checked."
        case .noPins: "Add pins of the host, or do not require any of it."
        case .untrusted(let failure): failure.primary.remedy.advice
        case .notEvaluated: "Give the certificates the server sent."
        case .notPinned:
            "If the server's key was changed on purpose, update the pins. If not, an attacker may intercept the connection."
        case .pinsExpired: "Configure current pins, or another consequence for when they end."
        case .refusedBySettings: "Pin something, or validate the domain name without allowing invalid certificates."
        case .custom: "See the evaluator that gave this reason."
        }
    }
}

extension ServerTrustFailure: CustomStringConvertible {
    /// The fault and its remedy. For pins, both sides of the comparison.
    public var description: String {
        switch self.reason {
        case .notPinned(let mismatch): "\(mismatch)\n\(self.remedy)"
        case .untrusted(let failure): "\(failure)" + (self.mismatch.map { "\n\($0)" } ?? "")
        default: "\(self.message) \(self.remedy)"
        }
    }
}

extension ServerTrustFailure {
    /// One failure for each code that is not the code of a rule, for lists of codes.
    package static let oneOfEach: [ServerTrustFailure] = {
        let reasons: [Reason] = [
            .noEvaluator, .invalidHost(InvalidReferenceIdentity(.empty, host: "")), .noHost, .noPins, .notEvaluated,
            .pinsExpired(PinExpiration(Date(timeIntervalSince1970: 1_800_000_000), then: .refuse)),
            .refusedBySettings("their reason follows"), .custom(OwnReason()),
        ]
        return reasons.map { ServerTrustFailure($0, host: "the host") }
    }()

    private struct OwnReason: Error, CustomStringConvertible {
        let description = "An evaluator of the program has a reason of its own."
    }
}
