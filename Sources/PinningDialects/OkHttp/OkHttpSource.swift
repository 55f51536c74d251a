//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A Java or Kotlin source, read as the language's compiler reads it.
///
/// The two languages differ in Unicode escapes: Java translates them before it separates comments from code (JLS §3.3), Kotlin
/// recognizes them only in literals. Keywords reveal the language: `new CertificatePinner` is Java, `val` and `fun` are Kotlin.
/// Without such keywords both readings must have the same pins.
struct OkHttpSource {
    enum Language {
        case java
        case kotlin
    }

    private let written: SourceText
    private let translated: SourceText

    init(_ bytes: [UInt8]) {
        self.written = SourceText(bytes)
        // Only a file with an escape needs a translated copy.
        self.translated = bytes.contains("\\u".utf8) ? SourceText(translatingEscapesOf: bytes) : self.written
    }

    /// `true` if the source contains a call that may add pins.
    var hasCalls: Bool {
        self.written.bytes.contains(OkHttpWord.call.utf8)
            || (self.translated.firstEscape != nil && self.translated.bytes.contains(OkHttpWord.call.utf8))
    }

    /// Returns the literals of each call, in order.
    func calls(_ log: inout DiagnosticLog) -> [[OkHttpReader.Word]] {
        var kotlin = OkHttpSourceScanner(self.written, log)
        let callsInKotlin = kotlin.calls()
        guard self.translated.firstEscape != nil || self.translated.malformedEscape != nil else {
            log = kotlin.log
            return callsInKotlin
        }
        var java = OkHttpSourceScanner(self.translated, log)
        let callsInJava = java.calls()
        switch kotlin.language == java.language ? java.language : nil {
        case .kotlin?:
            log = kotlin.log
            return callsInKotlin
        case .java?:
            log = java.log
            self.checkEscapes(&log)
            return callsInJava
        case nil:
            log = kotlin.log
            // Java refuses a file with a malformed escape.
            if self.translated.malformedEscape == nil, !Self.areSame(callsInJava, callsInKotlin) {
                self.complain(self.translated.firstEscape, &log)
            }
            return callsInKotlin
        }
    }

    private static func areSame(_ left: [[OkHttpReader.Word]], _ right: [[OkHttpReader.Word]]) -> Bool {
        left.map { $0.map(\.text) } == right.map { $0.map(\.text) }
    }

    private func checkEscapes(_ log: inout DiagnosticLog) {
        guard let offset = self.translated.malformedEscape else { return }
        log.add(
            .malformedDocument, "A Unicode escape has not four hexadecimal digits, which Java refuses.",
            remedy: "Write the character itself.", at: self.position(of: offset))
    }

    private func complain(_ offset: Int?, _ log: inout DiagnosticLog) {
        log.add(
            .invalidValue, "A Unicode escape makes Java read other pins here than Kotlin.",
            remedy: "Write the character itself.", at: offset.map(self.position))
    }

    private func position(of offset: Int) -> TextPosition {
        var cursor = TextCursor(self.written.file)
        return cursor.advance(to: offset)
    }
}
