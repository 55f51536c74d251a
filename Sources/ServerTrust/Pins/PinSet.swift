//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The pins of a host, which a trusted path to it must also match.
///
/// ```swift
/// let pins = try PinSet([Pin(currentKey), Pin(backupKey)])
/// ```
///
/// Pins are matched on verified paths only, never on certificates that a server merely sends.
public struct PinSet: Sendable, Hashable {
    /// A set of pins of which a part of the path must match one.
    ///
    /// A ``PinSet`` with several requirements needs a match for each of them.
    public struct Requirement: Sendable, Hashable {
        /// The pins.
        public var pins: Set<Pin>
        /// The part of the path that must match.
        public var scope: PinRequirement.Scope

        /// Creates a requirement. Without pins it cannot be met.
        public init(_ pins: some Sequence<Pin>, scope: PinRequirement.Scope = .path) {
            self.pins = Set(pins)
            self.scope = scope
        }
    }

    /// The rule for sets without a second pin, which is needed if the first pin's key is lost.
    public enum BackupRule: String, Sendable, Hashable, CaseIterable {
        /// A set without a backup pin is accepted silently.
        case off
        /// A set without a backup pin is accepted, and ``PinSet/lacksBackup`` is `true`.
        case warn
        /// A set without a backup pin is refused with ``PinError``.
        case require
    }

    /// The requirements, each of which the path must meet.
    public var requirements: [Requirement]

    /// The expiration of the pins with its consequence, or `nil` if they do not expire.
    public var expiration: PinExpiration?

    /// `true` if a path without a pin is accepted and only reported.
    public var isReportOnly = false

    /// The classes of anchors whose paths need no pin. `[.user]` exempts anchors that the machine's administrator added, such as a
    /// company's proxy, or an attacker with administrator rights.
    public var exemptAnchors: Set<AnchorClass> = []

    /// The step of the evaluation that compares the pins: during the path search, as `NSPinnedDomains` does, or after it, as TrustKit,
    /// Android and OkHttp do.
    public var comparison = PinRequirement.Comparison.duringSearch

    /// Creates a set of pins of which the path must match one.
    ///
    /// - Parameters:
    ///   - pins: The pins.
    ///   - scope: The part of the path that must match: the whole path, its leaf, the certificates above the leaf, or its anchor.
    ///   - backup: The rule for a single pin.
    /// - Throws: ``PinError`` if there is no pin, or only one and `backup` requires a second.
    public init(
        _ pins: some Sequence<Pin>, scope: PinRequirement.Scope = .path, backup: BackupRule = .warn
    ) throws(PinError) {
        try self.init([Requirement(pins, scope: scope)], backup: backup)
    }

    /// Creates a set of several requirements, each of which the path must meet.
    ///
    /// - Parameters:
    ///   - requirements: The requirements.
    ///   - backup: The rule for a requirement with a single pin.
    /// - Throws: ``PinError`` if a requirement has no pin, or only one and `backup` requires a second.
    public init(_ requirements: [Requirement], backup: BackupRule = .warn) throws(PinError) {
        guard !requirements.isEmpty, requirements.allSatisfy({ !$0.pins.isEmpty }) else {
            throw PinError(.noPins, text: "")
        }
        self.requirements = requirements
        guard backup != .require || !self.lacksBackup else { throw PinError(.noBackup, text: "") }
    }

    /// A set that no path matches.
    static var refusingEverything: PinSet { PinSet(unchecked: [Requirement([])]) }

    /// Creates a set from unchecked requirements of a configuration. A requirement without pins cannot be met.
    package init(unchecked requirements: [Requirement]) {
        self.requirements = requirements
    }

    /// `true` if the loss of one key can lock out all clients: a requirement has fewer than two pins that are not placeholders.
    public var lacksBackup: Bool {
        self.requirements.contains { requirement in
            requirement.pins.lazy.filter { !$0.isPlaceholder }.dropFirst().isEmpty
        }
    }

    /// The first placeholder among the pins, or `nil` if there is none.
    package var placeholder: Pin? {
        self.requirements.lazy.compactMap { $0.pins.lazy.filter(\.isPlaceholder).min() }.min()
    }

    /// The number of pins. A pin of two requirements counts twice.
    package var size: Int { self.requirements.reduce(0) { $0 + $1.pins.count } }

    /// All pins, in a stable order.
    public var pins: [Pin] { self.requirements.reduce(into: Set()) { $0.formUnion($1.pins) }.sorted() }

    var pathRequirements: [PinRequirement] {
        self.requirements.map { requirement in
            let (keys, certificates) = (
                Set(requirement.pins).digests(.publicKey), requirement.pins.digests(.certificate)
            )
            var path = PinRequirement(keyDigests: keys, certificateDigests: certificates, scope: requirement.scope)
            path.exemptAnchors = self.exemptAnchors
            path.comparison = self.comparison
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
