//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads the pins of OkHttp's `CertificatePinner`, either from lines with a pattern and pins or from source code.
struct OkHttpReader: DialectReader {
    var log = DiagnosticLog()

    /// A text of the file and its position.
    typealias Word = (text: String, position: TextPosition)

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let text = Array(try DocumentText(bytes).string.utf8)
        var collector = DomainCollector(.union)
        let source = OkHttpSource(text)
        for entry in source.hasCalls ? source.calls(&self.log) : self.lines(of: text) {
            if let domain = self.domain(entry) { collector.add(domain, &self.log) }
        }
        return collector.configuration
    }

    private mutating func lines(of text: [UInt8]) -> [[Word]] {
        var cursor = TextCursor(text)
        return TextLine.lines(of: text).map { self.words(of: $0, &cursor) }.filter { !$0.isEmpty }
    }

    /// Splits a line at blanks and commas, up to the start of a comment.
    private mutating func words(of line: TextLine, _ cursor: inout TextCursor) -> [Word] {
        var words: [Word] = []
        for part in line.octets.split(whereSeparator: { $0.isBlank || $0 == UInt8(ascii: ",") }) {
            let position = cursor.advance(to: part.startIndex)
            if OkHttpWord.comments.contains(where: { part.starts(with: $0.utf8) }) {
                self.log.checkComment(line.octets[part.startIndex...], at: position)
                break
            }
            words.append((part.text, position))
        }
        return words
    }

    private mutating func domain(_ words: [Word]) -> PinnedDomain? {
        guard let pattern = words.first, !self.log.isExhausted else { return nil }
        if words.count == 1 {
            self.log.add(
                .missingValue, "\(pattern.text.quoted) has no pins.", remedy: "Write them behind it.",
                at: pattern.position)
        }
        let pins = words.dropFirst().compactMap { self.pin($0, of: pattern.text.quoted) }
        guard let host = self.host(pattern) else { return nil }
        var set = PinSet(unchecked: [PinSet.Requirement(pins)])
        set.comparison = .afterSearch
        var domain = PinnedDomain(host.host, subdomains: PinnedDomain.Subdomains(host.breadth), pins: set)
        domain.position = pattern.position
        return domain
    }

    /// Reads a pin as `CertificatePinner.Pin` does: the prefix "sha256/" is required, and the rest is decoded.
    private mutating func pin(_ word: Word, of subject: String) -> Pin? {
        if word.text.hasPrefix(OkHttpWord.pinPrefix),
            let pin = PinDecoder.okio.pin(inBase64: String(word.text.dropFirst(OkHttpWord.pinPrefix.count)))
        {
            return pin
        }
        guard let pin = self.log.pin(word.text, of: subject, at: word.position) else { return nil }
        guard pin.description == word.text, pin.kind == .publicKey else {
            self.log.add(
                .invalidPin, "\(subject): \(word.text.quoted) is not how OkHttp writes a pin.",
                remedy: "Write \(OkHttpWord.pinPrefix) and the Base64 of the key's digest.", at: word.position)
            return nil
        }
        return pin
    }

    private mutating func host(_ word: Word) -> HostPattern? {
        do {
            let pattern = try HostPattern(word.text)
            guard pattern.port != nil else { return pattern }
            self.log.add(
                .invalidHost, "\(word.text.quoted): OkHttp pins hosts, whatever the port.", remedy: "Remove the port.",
                at: word.position)
        } catch {
            self.log.add(.invalidHost, word.text.quoted, error: error, otherwise: "write a DNS name", at: word.position)
        }
        return nil
    }
}

extension DiagnosticLog {
    /// Reports a pin in a comment, because a typing error may have turned the line into a comment.
    mutating func checkComment(_ comment: some Collection<UInt8>, at position: TextPosition) {
        guard Array(comment).contains(OkHttpWord.pinPrefix.utf8) else { return }
        self.add(
            .commentedPin, "A comment has a pin, which does not count.",
            remedy: "Remove it, or what makes it a comment.",
            at: position)
    }
}

extension [UInt8] {
    func contains(_ text: String.UTF8View) -> Bool {
        guard let first = text.first else { return true }
        var rest = self[...]
        while let index = rest.firstIndex(of: first) {
            rest = rest[index...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
