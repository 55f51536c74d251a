//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The pins of a host: what a verified path to it must have, besides being trusted.
///
/// ```swift
/// let pins = try PinSet([Pin(currentKey), Pin(backupKey)])
/// ```
///
/// Pins are looked for on verified paths only, never among what a server merely sends.
public struct PinSet: Sendable, Hashable {
    /// Pins of which one must be found in a part of the path.
    public struct Requirement: Sendable, Hashable {
        /// The pins.
        public var pins: Set<Pin>
        /// Where they are looked for.
        public var scope: PinRequirement.Scope

        /// A requirement. Without pins it cannot be met.
        public init(_ pins: some Sequence<Pin>, scope: PinRequirement.Scope = .path) {
            self.pins = Set(pins)
            self.scope = scope
        }
    }

    /// What is made of a set without a second pin, for the day the first one's key is lost.
    public enum BackupRule: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case off
        /// ``PinSet/lacksBackup`` tells.
        case warn
        /// No set is made of it.
        case require
    }

    /// What must be found; every one of them.
    public var requirements: [Requirement]

    /// When the pins end, and what happens then; `nil` for never.
    public var expiration: PinExpiration?

    /// Whether a path without a pin is let through and only reported.
    public var isReportOnly = false

    /// The classes of anchors whose paths need no pin: `[.user]` lets those through that the machine's administrator
    /// added, such as a company's own proxy, or an attacker's who got that far.
    public var exemptAnchors: Set<AnchorClass> = []

    /// Pins of which one must be found on the path.
    ///
    /// - Parameters:
    ///   - pins: The pins.
    ///   - scope: Where they are looked for: anywhere on the path, on its leaf, above it, or on its anchor.
    ///   - backup: What is made of a single pin.
    /// - Throws: ``PinError`` when there is no pin, or only one where `backup` requires a second.
    public init(
        _ pins: some Sequence<Pin>, scope: PinRequirement.Scope = .path, backup: BackupRule = .warn
    ) throws(PinError) {
        try self.init([Requirement(pins, scope: scope)], backup: backup)
    }

    /// Several requirements, all of which must be met.
    ///
    /// - Parameters:
    ///   - requirements: What must be found.
    ///   - backup: What is made of a requirement with a single pin.
    /// - Throws: ``PinError`` when one has no pin, or only one where `backup` requires a second.
    public init(_ requirements: [Requirement], backup: BackupRule = .warn) throws(PinError) {
        guard !requirements.isEmpty, requirements.allSatisfy({ !$0.pins.isEmpty }) else {
            throw PinError(.noPins, text: "")
        }
        self.requirements = requirements
        guard backup != .require || !self.lacksBackup else { throw PinError(.noBackup, text: "") }
    }

    /// A set that lets nothing through, for configurations that say so.
    static var refusingEverything: PinSet { PinSet(unchecked: [Requirement([])]) }

    /// Requirements as a configuration has them, ones without pins too, which cannot be met.
    package init(unchecked requirements: [Requirement]) {
        self.requirements = requirements
    }

    /// Whether one lost key is enough to lock everyone out: a requirement with fewer than two pins that could match.
    public var lacksBackup: Bool {
        self.requirements.contains { requirement in
            requirement.pins.lazy.filter { !$0.isPlaceholder }.dropFirst().isEmpty
        }
    }

    /// The first pin that no key has; `nil` without one.
    package var placeholder: Pin? {
        self.requirements.lazy.compactMap { $0.pins.lazy.filter(\.isPlaceholder).min() }.min()
    }

    /// How many pins there are, those of two requirements twice.
    package var size: Int { self.requirements.reduce(0) { $0 + $1.pins.count } }

    /// All pins, in a stable order.
    public var pins: [Pin] { self.requirements.reduce(into: Set()) { $0.formUnion($1.pins) }.sorted() }

    /// The requirements as the engine searches paths for them.
    var pathRequirements: [PinRequirement] {
        self.requirements.map { requirement in
            let (keys, certificates) = (
                Set(requirement.pins).digests(.publicKey), requirement.pins.digests(.certificate)
            )
            var path = PinRequirement(keyDigests: keys, certificateDigests: certificates, scope: requirement.scope)
            path.exemptAnchors = self.exemptAnchors
            return path
        }
    }
}

extension Set<Pin> {
    fileprivate func digests(_ kind: Pin.Kind) -> Set<[UInt8]> {
        self.reduce(into: []) { digests, pin in
            if pin.kind == kind { digests.insert(pin.digest) }
        }
    }
}
