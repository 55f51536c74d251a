//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// A configuration as the text of one dialect.
///
/// Check ``isFaithful`` before the text is used. Android keeps certificates in resources of their own, which ``certificates``
/// lists by name.
public struct PinningText: Sendable, Hashable {
    /// The contents of a file.
    public let text: String

    /// The settings that the text loses. A warning means that the text accepts less than the configuration. An error means that
    /// it accepts more, and the text must not be used.
    public internal(set) var diagnostics: [PinningDiagnostic] = []

    /// The certificates that the text refers to by name, such as Android's `@raw/…`.
    public internal(set) var certificates: [String: Certificate] = [:]

    init(_ text: String) {
        self.text = text
    }

    /// `true` if the text accepts nothing that the configuration refuses.
    public var isFaithful: Bool { self.diagnostics.allSatisfy { $0.severity != .error } }
}
