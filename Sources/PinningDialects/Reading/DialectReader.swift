//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// A reader for the files of one dialect.
protocol DialectReader {
    var log: DiagnosticLog { get set }

    /// Returns the configuration of a file as far as it can be understood. The caller must discard it if the log has an error.
    ///
    /// - Throws: `DocumentError` if the file is not valid in the format of its dialect.
    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration?
}

/// The diagnostics collected while a file is read.
struct DiagnosticLog {
    private(set) var diagnostics: [PinningDiagnostic] = []
    private(set) var hasError = false

    /// `true` if the log accepts only a first error.
    var isFull: Bool { self.diagnostics.count >= PinningDiagnostic.maximumCount }

    /// `true` if the log has an error and accepts nothing more. Further reading is then pointless.
    var isExhausted: Bool { self.hasError && self.isFull }

    /// Adds a diagnostic unless the log is full. The first error is always added.
    mutating func add(
        _ code: PinningDiagnostic.Code, _ message: String, remedy: String, at position: TextPosition?
    ) {
        let isFirstError = code.severity == .error && !self.hasError
        guard isFirstError || !self.isFull else { return }
        self.hasError = self.hasError || isFirstError
        self.diagnostics.append(PinningDiagnostic(code, message, remedy: remedy, at: position))
    }

    /// Reports a fault of the whole document.
    mutating func add(_ error: DocumentError) {
        let (message, remedy) = Sentences.parts(of: error.message, otherwise: "correct the file")
        self.add(.malformedDocument, message, remedy: remedy, at: error.position)
    }

    /// Reports a fault of one part of the document in the words of an error.
    mutating func add(
        _ code: PinningDiagnostic.Code, _ subject: String, error: some Error & CustomStringConvertible,
        otherwise remedy: String = "correct it", at position: TextPosition?
    ) {
        let (message, remedy) = Sentences.parts(of: "\(error)", otherwise: remedy)
        // Errors about a text begin with it.
        self.add(code, message.hasPrefix(subject) ? message : "\(subject): \(message)", remedy: remedy, at: position)
    }
}

/// Splits the text of an error into the two sentences of a diagnostic.
enum Sentences {
    /// Returns the problem, and the correction that follows it in a sentence of its own or behind the last semicolon.
    static func parts(of text: String, otherwise remedy: String) -> (message: String, remedy: String) {
        // What stands inside quotation marks belongs to the file.
        let rest = text.lastIndex(of: "\"").map { text[$0...] } ?? text[...]
        let place = rest.ranges(of: "; ").last ?? rest.firstRange(of: ". ")
        guard let place else { return (Self.sentence(text), Self.sentence(remedy)) }
        return (Self.sentence(String(text[..<place.lowerBound])), Self.sentence(String(text[place.upperBound...])))
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}

extension String {
    /// The text in printable form, shortened and in quotation marks.
    var quoted: String { "\"\(PrintableText.text(of: self))\"" }
}
