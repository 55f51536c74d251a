//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// What reads the files of one dialect.
protocol DialectReader {
    /// What there is to say about the file.
    var log: DiagnosticLog { get set }

    /// The configuration in a file, as far as it can be understood; the caller drops it when the log has an error.
    ///
    /// - Throws: `DocumentError` when the file is not even what its dialect is written in.
    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration?
}

/// What is found in a file while it is read.
struct DiagnosticLog {
    private(set) var diagnostics: [PinningDiagnostic] = []
    private(set) var hasError = false

    /// Whether nothing but a first error will be added.
    var isFull: Bool { self.diagnostics.count >= PinningDiagnostic.maximumCount }

    /// Whether there is an error and nothing will be added to it: whatever else is read is for nothing.
    var isExhausted: Bool { self.hasError && self.isFull }

    /// Says something, unless more is said already than a person reads. The first error always is.
    mutating func add(
        _ code: PinningDiagnostic.Code, _ message: String, remedy: String, at position: TextPosition?
    ) {
        let isFirstError = code.severity == .error && !self.hasError
        guard isFirstError || !self.isFull else { return }
        self.hasError = self.hasError || isFirstError
        self.diagnostics.append(PinningDiagnostic(code, message, remedy: remedy, at: position))
    }

    /// Says what is wrong with the whole document.
    mutating func add(_ error: DocumentError) {
        let (message, remedy) = Sentences.parts(of: error.message, otherwise: "correct the file")
        self.add(.malformedDocument, message, remedy: remedy, at: error.position)
    }

    /// Says what is wrong with a part of it, in an error's own words.
    mutating func add(
        _ code: PinningDiagnostic.Code, _ subject: String, error: some Error & CustomStringConvertible,
        otherwise remedy: String = "correct it", at position: TextPosition?
    ) {
        let (message, remedy) = Sentences.parts(of: "\(error)", otherwise: remedy)
        self.add(code, "\(subject): \(message)", remedy: remedy, at: position)
    }
}

/// Errors say in one sentence what diagnostics say in two.
enum Sentences {
    /// What is wrong, and behind the last semicolon what to do.
    static func parts(of text: String, otherwise remedy: String) -> (message: String, remedy: String) {
        let octets = Array(text.utf8)
        guard let semicolon = octets.lastIndex(of: UInt8(ascii: ";")),
            // One inside of quotation marks is the file's.
            !octets[semicolon...].contains(UInt8(ascii: "\""))
        else { return (Self.sentence(text), Self.sentence(remedy)) }
        let (message, rest) = (octets[..<semicolon], octets[(semicolon + 1)...].drop { $0 == 0x20 })
        return (
            Self.sentence(String(decoding: message, as: UTF8.self)),
            Self.sentence(String(decoding: rest, as: UTF8.self))
        )
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}

extension String {
    /// The text as it may be shown: printable, cut, in quotation marks.
    var quoted: String { "\"\(PrintableText.text(of: self))\"" }
}
