//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A path that does not match its pins, with both sides of the comparison.
///
/// ``ServerTrustFailure/mismatch`` and reports carry it. The description lists the pins of the path and the expected pins.
public struct PinMismatch: Sendable {
    /// The host in its normalized form.
    public let host: String
    /// The date of the evaluation.
    public let date: Date
    /// The certificates that the server sent, its own first.
    public let presented: [Certificate]
    /// The path built from them, the leaf first. It is valid only if ``isPathTrusted``.
    public let path: [Certificate]
    /// `true` if the path has no fault except the pins.
    public let isPathTrusted: Bool
    /// The expected pins.
    public let pins: PinSet

    /// Creates a mismatch, for tests of its handling.
    ///
    /// - Parameters:
    ///   - pins: The expected pins.
    ///   - host: The host.
    ///   - date: The date of the evaluation.
    ///   - presented: The certificates that the server sent, its own first.
    ///   - path: The path built from them, the leaf first.
    ///   - isPathTrusted: `true` if the path has no fault except the pins.
    public init(
        _ pins: PinSet, host: String, date: Date, presented: [Certificate], path: [Certificate],
        isPathTrusted: Bool = true
    ) {
        self.host = host
        self.date = date
        self.pins = pins
        self.presented = presented
        self.path = path
        self.isPathTrusted = isPathTrusted
    }

    init(_ pins: PinSet, host: String, trust: Trust, result: TrustResult, isPathTrusted: Bool = true) {
        self.init(
            pins, host: host, date: result.evaluationDate, presented: trust.certificates, path: result.path,
            isPathTrusted: isPathTrusted)
    }

    /// The pins of the path's keys, the leaf's first. They can be configured if the path is the right one.
    public var pathPins: [Pin] { self.path.map(Pin.init(keyOf:)) }

    /// The failure code of a path without other faults: that of the first requirement's scope, as in ``TrustFailureReason/code``.
    var code: String {
        let reason: RejectionReason =
            switch self.pins.requirements.first?.scope {
            case .leaf?: .leafKeyNotPinned
            case .authorities?: .authorityKeyNotPinned
            case .anchor?: .anchorNotPinned
            case .path?, nil: .pathNotPinned
            }
        return reason.code
    }
}

extension PinMismatch: CustomStringConvertible {
    /// The path with its pins, and the expected pins, in OkHttp's format.
    public var description: String {
        var text = "Certificate pinning failure!\n  Peer certificate chain:\n"
        let kinds = Set(self.pins.pins.map(\.kind))
        for certificate in self.path {
            let name = certificate.subject.isEmpty ? certificate.subjectSummary : certificate.subject
            // Each kind of pin is comparable only with the same kind of the path.
            if kinds != [.certificate] { text += "    \(Pin(keyOf: certificate)): \(name)\n" }
            if kinds.contains(.certificate) { text += "    \(Pin(certificate: certificate)): \(name)\n" }
        }
        for requirement in self.pins.requirements {
            text += "  Pinned \(requirement.place) for \(self.host):\n"
            text += requirement.pins.sorted().map { "    \($0)\n" }.joined()
        }
        return String(text.dropLast())
    }
}

extension PinSet.Requirement {
    /// The heading for the part of the path that must match the pins.
    fileprivate var place: String {
        switch self.scope {
        case .path: "certificates"
        case .leaf: "certificates of the server itself"
        case .authorities: "authorities"
        case .anchor: "anchors"
        }
    }
}
