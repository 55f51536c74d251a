//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// The path that was built from it, the leaf first. Verified only if nothing but the pins spoke against it.
    public let path: [Certificate]
    /// What is pinned.
    public let pins: PinSet

    init(_ pins: PinSet, host: String, trust: Trust, result: TrustResult) {
        self.host = host
        self.date = result.evaluationDate
        self.presented = trust.certificates
        self.path = result.path
        self.pins = pins
    }

    /// The pins of the path's keys, the leaf's first, ready to be configured if the path is the right one.
    public var pathPins: [Pin] { self.path.map(Pin.init(keyOf:)) }
}

extension PinMismatch: CustomStringConvertible {
    /// The path with its pins, and what is pinned, in the form OkHttp's users know.
    public var description: String {
        var text = "Certificate pinning failure!\n  Peer certificate chain:\n"
        for certificate in self.path {
            let name = certificate.subject.isEmpty ? certificate.subjectSummary : certificate.subject
            text += "    \(Pin(keyOf: certificate)): \(name)\n"
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
