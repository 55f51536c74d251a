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

/// Why a server is not trusted for a host, with the evidence.
public struct ServerTrustFailure: Error, Sendable {
    /// Why.
    public enum Reason: Sendable {
        /// Nothing says how the host is to be judged, and every host must be said.
        case noEvaluator
        /// The host is no name a certificate can be for.
        case invalidHost(InvalidReferenceIdentity)
        /// The name is to be checked, and no name was given.
        case noHost
        /// Nothing is pinned where something must be.
        case noPins
        /// The path is not trusted, whatever is pinned.
        case untrusted(TrustFailure)
        /// There is no path: nothing could be evaluated.
        case notEvaluated
        /// The path is in order, but has not what is pinned.
        case notPinned(PinMismatch)
        /// The pins have ended, and say that nothing is trusted then.
        case pinsExpired(PinExpiration)
        /// AFNetworking's rules refuse these settings whatever the server sends.
        case refusedBySettings(String)
        /// An evaluator's own reason.
        case custom(any Error)
    }

    /// The host that was asked about, printable.
    public let host: String
    /// Why.
    public let reason: Reason
    /// What was found on the path and what is pinned, where the two do not meet; `nil` where they do, or nothing is pinned.
    ///
    /// Beside ``Reason/untrusted(_:)`` it does not say that a key was changed: the path itself is not in order.
    public let mismatch: PinMismatch?

    /// A failure of an evaluator of your own.
    ///
    /// - Parameters:
    ///   - error: Its reason. A description that says what to do helps its readers.
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

    /// What is wrong, in one sentence.
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

    /// The things to do, for programs. A remedy about the program itself has none.
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
    /// What is wrong and what to do; for pins, both sides of the comparison.
    public var description: String {
        switch self.reason {
        case .notPinned(let mismatch): "\(mismatch)\n\(self.remedy)"
        case .untrusted(let failure): "\(failure)" + (self.mismatch.map { "\n\($0)" } ?? "")
        default: "\(self.message) \(self.remedy)"
        }
    }
}

extension ServerTrustFailure {
    /// One of each that is not told by the code of a rule, for lists of codes.
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
