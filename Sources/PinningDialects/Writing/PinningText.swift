//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// A configuration as text.
public struct PinningText: Sendable, Hashable {
    /// The contents of a file.
    public let text: String

    /// What the text does not say: a warning where it lets less through than the configuration, an error where it lets
    /// more through, and must then not be used.
    public internal(set) var diagnostics: [PinningDiagnostic] = []

    /// The certificates that the text names instead of having them, by the names: `@raw/…` of Android.
    public internal(set) var certificates: [String: Certificate] = [:]

    init(_ text: String) {
        self.text = text
    }

    /// Whether the text lets nothing through that the configuration does not.
    public var isFaithful: Bool { self.diagnostics.allSatisfy { $0.severity != .error } }
}
