//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// Finds the pins and the URLs of curl's command lines and configurations.
struct CurlCommandScanner {
    /// One transfer of a command line, which ends at `--next` or at another command.
    struct Operation {
        var pins: CurlWord?
        var urls: [CurlWord] = []
    }

    private var operations = [Operation()]

    mutating func operations(in lines: [[CurlWord]], _ log: inout DiagnosticLog) -> [Operation] {
        for words in lines { self.read(Self.commandLine(of: words)[...], &log) }
        return self.operations
    }

    private mutating func read(_ line: ArraySlice<CurlWord>, _ log: inout DiagnosticLog) {
        var words = line
        while let word = words.popFirst() {
            if word.text == CurlOption.command {
                self.operations.append(Operation())
            } else if word.text.utf8.count > 1, word.text.hasPrefix("-") {
                self.read(option: word, &words, into: &log)
            } else {
                self.operations[self.operations.count - 1].urls.append(word)
            }
        }
    }

    private mutating func read(
        option word: CurlWord, _ words: inout ArraySlice<CurlWord>, into log: inout DiagnosticLog
    ) {
        guard let (option, attached) = Self.option(of: word) else {
            let name = String(word.text.drop { $0 == "-" })
            log.unknown(name, in: "curl", known: CurlOption.allCases.map(\.rawValue), at: word.position)
            Self.checkIsNoPin(word, &log)
            // It is not known if the option takes a value. A word that may be a URL is treated as a URL.
            if let next = words.first, !next.text.hasPrefix("-"), !next.text.contains("://") {
                Self.checkIsNoPin(next, &log)
                words.removeFirst()
            }
            return
        }
        guard option.hasValue else { return self.apply(option, word, into: &log) }
        guard let value = attached ?? words.popFirst() else {
            log.add(.missingValue, "\(word.text.quoted) has no value.", remedy: "Add it.", at: word.position)
            return
        }
        self.apply(option, value, into: &log)
    }

    private mutating func apply(_ option: CurlOption, _ value: CurlWord, into log: inout DiagnosticLog) {
        let last = self.operations.count - 1
        switch option {
        case .next: self.operations.append(Operation())
        case .url: self.operations[last].urls.append(value)
        case .insecure:
            log.add(
                .ignored,
                "curl verifies nothing but the pins with \(value.text.quoted). Here, all else is verified too.",
                remedy: "Remove it.", at: value.position)
        case .pinnedPublicKey where self.operations[last].pins == nil: self.operations[last].pins = value
        case .pinnedPublicKey:
            log.add(
                .duplicate, "\(option.rawValue) is there twice, and curl uses the last one for all URLs.",
                remedy: "Put --next, or a line with next, between what belongs together.", at: value.position)
        default: Self.checkIsNoPin(value, &log)
        }
    }
}

// MARK: Words

extension CurlCommandScanner {
    /// Converts `name = value` and `name: value` of a curl configuration file to the form of a command line.
    private static func commandLine(of words: [CurlWord]) -> [CurlWord] {
        guard var first = words.first, first.text != CurlOption.command else { return words }
        let name = first.text.drop { $0 == "-" }.prefix { $0 != "=" && $0 != ":" }
        guard let option = CurlOption(rawValue: String(name)) else { return words }
        let dashes = first.text.prefix { $0 == "-" }
        var rest = Array(words.dropFirst())
        let value = first.text.dropFirst(dashes.count + name.count)
        if value.count > 1 {
            rest.insert(CurlWord(text: String(value.dropFirst()), position: first.position), at: 0)
        } else if value.isEmpty, rest.first?.text == "=" || rest.first?.text == ":" {
            rest.removeFirst()
        }
        first.text = "--\(option.rawValue)"
        return [first] + rest
    }

    /// Returns the option of a word, and its value if the word contains both, as in `-Hname`.
    private static func option(of word: CurlWord) -> (CurlOption, CurlWord?)? {
        if word.text.hasPrefix("--") { return CurlOption(rawValue: String(word.text.dropFirst(2))).map { ($0, nil) } }
        var letters = word.text.dropFirst()
        var found: CurlOption?
        while let letter = letters.popFirst() {
            guard let option = CurlOption.letters[letter] else { return nil }
            if option.hasValue {
                let value = CurlWord(text: String(letters), position: word.position)
                return (option, letters.isEmpty ? nil : value)
            }
            // Among combined letters, keep the option that affects the result.
            found = found == .insecure || found == .next ? found : option
        }
        return found.map { ($0, nil) }
    }

    /// Reports a pin outside the argument of `--pinnedpubkey`, where it has no effect.
    private static func checkIsNoPin(_ word: CurlWord, _ log: inout DiagnosticLog) {
        guard Array(word.text.utf8).contains(CurlOption.pinPrefix.utf8) else { return }
        log.add(
            .invalidPin, "Pins are not behind --\(CurlOption.pinnedPublicKey.rawValue).", remedy: "Write them there.",
            at: word.position)
    }
}
