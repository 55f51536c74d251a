//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// A finding about a configuration with its position in the file.
///
/// Readers and writers return diagnostics instead of throwing at the first fault. A configuration with a diagnostic of severity
/// ``Severity/error`` must not be used. ``code`` is stable across versions, while the texts may change.
public struct PinningDiagnostic: Sendable, Hashable {
    /// The severity of a diagnostic.
    ///
    /// A configuration with an ``error`` must not be used. Severities are ordered from ``note`` to ``error``.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The finding is for information only.
        case note
        /// The configuration has another effect than it seems to have, or will fail in the future.
        case warning
        /// The configuration cannot be used.
        case error

        /// Returns `true` if the left severity is lower than the right one.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A short, stable name for programs.
    public let code: Code
    /// The problem, in one sentence.
    public let message: String
    /// The correction, in one sentence.
    public let remedy: String
    /// The position in the file, or `nil` if the file has no lines.
    public let position: TextPosition?

    /// The severity of the code.
    public var severity: Severity { self.code.severity }

    /// The most diagnostics of one reading. A person cannot correct more at once, and a file of a few megabytes could have a
    /// million.
    static let maximumCount = 1_000

    init(_ code: Code, _ message: String, remedy: String, at position: TextPosition?) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.position = position
    }
}

extension PinningDiagnostic {
    /// The kinds of diagnostics.
    ///
    /// The code determines the severity. The raw values appear in brackets at the end of a diagnostic's description.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // Errors
        /// The file is not valid in the format of its dialect, such as XML or JSON.
        case malformedDocument = "malformed-document"
        /// The file has no section of the dialect.
        case nothingPinned = "nothing-pinned"
        /// A value has another type than its key requires.
        case wrongType = "wrong-type"
        /// A required value is missing.
        case missingValue = "missing-value"
        /// The text is not a pin.
        case invalidPin = "invalid-pin"
        /// The text is not a date.
        case invalidDate = "invalid-date"
        /// The text is not a host.
        case invalidHost = "invalid-host"
        /// The value is not one of the permitted values.
        case invalidValue = "invalid-value"
        /// The certificate cannot be read.
        case invalidCertificate = "invalid-certificate"
        /// The same hosts or the same key occur twice.
        case duplicate
        /// The dialect cannot express a setting, and the written file would accept more than the configuration.
        case inexpressible
        /// The key is not defined in this package's own format, so its intended effect would be lost.
        case undefinedKey = "undefined-key"
        // Warnings
        /// The key or element has no meaning to the systems that read the dialect.
        case unknownKey = "unknown-key"
        /// The set of pins is empty, and every connection fails.
        case emptyPins = "empty-pins"
        /// The set has one pin and no backup.
        case singlePin = "single-pin"
        /// The pin of a public key is written in the form of a certificate fingerprint.
        case fingerprintForm = "fingerprint-form"
        /// The pin is a placeholder for a future one.
        case placeholderPin = "placeholder-pin"
        /// The pins are for a name directly below which the public can register domains.
        case publicSuffix = "public-suffix"
        /// The pins have expired.
        case expired
        /// The pins expire soon.
        case expiresSoon = "expires-soon"
        /// The pins match a server's own key only.
        case leafOnly = "leaf-only"
        /// A pin of an intermediate that its authority has announced to replace.
        case announcedRotation = "announced-rotation"
        /// No platform promises to check pins for this host.
        case unreliableHost = "unreliable-host"
        /// A setting has no effect or is not written. Nothing more is accepted without it.
        case ignored
        // Notes
        /// A setting is obsolete or equal to the default.
        case obsolete
        /// A comment contains a pin, which has no effect.
        case commentedPin = "commented-pin"

        /// The severity of diagnostics with this code.
        public var severity: Severity {
            switch self {
            case .malformedDocument, .nothingPinned, .wrongType, .missingValue, .invalidPin, .invalidDate, .invalidHost,
                .invalidValue, .invalidCertificate, .duplicate, .inexpressible, .undefinedKey:
                .error
            case .unknownKey, .emptyPins, .singlePin, .fingerprintForm, .placeholderPin, .publicSuffix, .expired,
                .expiresSoon, .leafOnly, .announcedRotation,
                .unreliableHost, .ignored:
                .warning
            case .obsolete, .commentedPin: .note
            }
        }
    }
}

extension PinningDiagnostic: CustomStringConvertible {
    /// The line, the problem and the correction, as one line of text.
    public var description: String {
        let place = self.position.map { "line \($0.line): " } ?? ""
        return "\(place)\(self.severity.rawValue): \(self.message) \(self.remedy) [\(self.code.rawValue)]"
    }
}

/// The error for a configuration that cannot be used, with all diagnostics.
///
/// ``PinningConfiguration/init(contentsOf:in:)`` throws it. Use a ``PinningReader`` to receive the warnings of a usable
/// configuration too.
public struct PinningConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All diagnostics in the order of the file.
    public let diagnostics: [PinningDiagnostic]

    /// The errors, one on each line.
    public var description: String {
        self.diagnostics.filter { $0.severity == .error }.map(\.description).joined(separator: "\n")
    }
}
