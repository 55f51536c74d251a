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

/// A path without what is pinned, with both sides of the comparison.
public struct PinMismatch: Sendable {
    /// The host, as it was looked up.
    public let host: String
    /// The moment of the evaluation.
    public let date: Date
    /// What the server sent, its own certificate first.
    public let presented: [Certificate]
    /// The path that was built from it, the leaf first. In order only if ``isPathTrusted``.
    public let path: [Certificate]
    /// Whether the path is in order but for the pins.
    public let isPathTrusted: Bool
    /// What is pinned.
    public let pins: PinSet

    /// A mismatch, for tests of what is done about one.
    ///
    /// - Parameters:
    ///   - pins: What is pinned.
    ///   - host: The host.
    ///   - date: The moment of the evaluation.
    ///   - presented: What the server sent, its own certificate first.
    ///   - path: The path that was built from it, the leaf first.
    ///   - isPathTrusted: Whether the path is in order but for the pins.
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

    /// The pins of the path's keys, the leaf's first, ready to be configured if the path is the right one.
    public var pathPins: [Pin] { self.path.map(Pin.init(keyOf:)) }

    /// The code of the failure where nothing but the pins speaks against the path: that of the first requirement's scope,
    /// as in ``TrustFailureReason/code``.
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
    /// The path with its pins, and what is pinned, in the form OkHttp's users know.
    public var description: String {
        var text = "Certificate pinning failure!\n  Peer certificate chain:\n"
        let kinds = Set(self.pins.pins.map(\.kind))
        for certificate in self.path {
            let name = certificate.subject.isEmpty ? certificate.subjectSummary : certificate.subject
            // What is pinned can be compared only with the same of the path.
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
    /// Where the pins are looked for, for a heading.
    fileprivate var place: String {
        switch self.scope {
        case .path: "certificates"
        case .leaf: "certificates of the server itself"
        case .authorities: "authorities"
        case .anchor: "anchors"
        }
    }
}
