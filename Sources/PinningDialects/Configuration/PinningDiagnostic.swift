//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// One thing a person should know about a configuration, and where it is.
public struct PinningDiagnostic: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Good to know.
        case note
        /// Means something else than it seems to, or is a danger to come.
        case warning
        /// The configuration cannot be used.
        case error

        /// Whether one is less bad than another.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A short, stable name for programs.
    public let code: Code
    /// What is wrong, in one sentence.
    public let message: String
    /// What would put it right, in one sentence.
    public let remedy: String
    /// Where it is; `nil` where the file has no lines.
    public let position: TextPosition?

    /// How bad it is.
    public var severity: Severity { self.code.severity }

    /// A person corrects no more at once, and a file of a few megabytes could have a million.
    static let maximumCount = 1_000

    init(_ code: Code, _ message: String, remedy: String, at position: TextPosition?) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.position = position
    }
}

extension PinningDiagnostic {
    /// What can be said of a configuration.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // Errors
        /// The file is not what its dialect is written in.
        case malformedDocument = "malformed-document"
        /// The file has nothing of the dialect.
        case nothingPinned = "nothing-pinned"
        /// A value is of another kind than its key's.
        case wrongType = "wrong-type"
        /// Something that must be there is not.
        case missingValue = "missing-value"
        /// Text that is not a pin.
        case invalidPin = "invalid-pin"
        /// Text that is not a date.
        case invalidDate = "invalid-date"
        /// Text that is not a host.
        case invalidHost = "invalid-host"
        /// A value that is not among the possible ones.
        case invalidValue = "invalid-value"
        /// A certificate that cannot be read.
        case invalidCertificate = "invalid-certificate"
        /// The same hosts, or the same key, twice.
        case duplicate
        /// Something a dialect has no words for, without which what is written would let more through.
        case inexpressible
        /// A key that this package's own format does not have: what it was meant to say would be missed.
        case undefinedKey = "undefined-key"
        // Warnings
        /// A key or element that means nothing to the systems that read the dialect.
        case unknownKey = "unknown-key"
        /// Pins that let nothing through.
        case emptyPins = "empty-pins"
        /// A pin alone.
        case singlePin = "single-pin"
        /// A pin of a key that is written as fingerprints of certificates are.
        case fingerprintForm = "fingerprint-form"
        /// A pin that stands for one to come.
        case placeholderPin = "placeholder-pin"
        /// Pins for a name under which anyone may register.
        case publicSuffix = "public-suffix"
        /// Pins that have ended.
        case expired
        /// Pins that end soon.
        case expiresSoon = "expires-soon"
        /// Pins of a server's own key alone.
        case leafOnly = "leaf-only"
        /// A host whose pins no platform promises to look at.
        case unreliableHost = "unreliable-host"
        /// Something that is not acted on, or not written, and without which no more is let through.
        case ignored
        // Notes
        /// Something that is as it is by default, or was.
        case obsolete
        /// A comment with a pin, which does not count.
        case commentedPin = "commented-pin"

        /// How bad it is.
        public var severity: Severity {
            switch self {
            case .malformedDocument, .nothingPinned, .wrongType, .missingValue, .invalidPin, .invalidDate, .invalidHost,
                .invalidValue, .invalidCertificate, .duplicate, .inexpressible, .undefinedKey:
                .error
            case .unknownKey, .emptyPins, .singlePin, .fingerprintForm, .placeholderPin, .publicSuffix, .expired,
                .expiresSoon, .leafOnly,
                .unreliableHost, .ignored:
                .warning
            case .obsolete, .commentedPin: .note
            }
        }
    }
}

extension PinningDiagnostic: CustomStringConvertible {
    /// The line, what is wrong and what to do.
    public var description: String {
        let place = self.position.map { "line \($0.line): " } ?? ""
        return "\(place)\(self.severity.rawValue): \(self.message) \(self.remedy) [\(self.code.rawValue)]"
    }
}

/// A configuration that cannot be used, with everything that was found.
public struct PinningConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Everything that was found, in the order of the file.
    public let diagnostics: [PinningDiagnostic]

    /// The errors, a line each.
    public var description: String {
        self.diagnostics.filter { $0.severity == .error }.map(\.description).joined(separator: "\n")
    }
}
