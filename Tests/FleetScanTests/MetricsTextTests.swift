//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Metrics as Prometheus reads them")
struct MetricsTextTests {
    /// Names that mean something to readers of the format, to terminals, or to the eye.
    private static let hostile = [
        #"quote".test"#, #"backslash\.test"#, #"end\"#, #"end\\"#, #"n\n.test"#, "line\nfeed.test", "return\r.test",
        "\r\n", "\u{0}", "\u{1B}[31mred.test", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}", "right\u{202E}tset.test",
        "\u{2066}isolate", "zero\u{200B}width", "\u{FEFF}", "tab\t.test", "{", "}", "a,b", "a=b", "#",
        "# HELP servertrust_hosts x", "a.test\"} 1\nservertrust_evil{host=\"b", "a.test\\\"} 1\nservertrust_evil 1\n#",
        "\"", "\\\"", " ",
        "münchen.test", "\u{1F600}", "e\u{301}.test",
        // Accents make one character of themselves and what is before them.
        "\"\u{301}} 1\nservertrust_evil 1\n#", "\\\u{301}", "\\\u{301}\"", "\n\u{301}", "\"\u{FE0F}", "\"\u{20DD}",
    ]

    @Test("No text of a host, name or protocol changes what is read", arguments: hostile)
    func read(text: String) throws {
        let harmless = try Self.samples(of: Self.board("a.test"))
        let samples = try Self.samples(of: Self.board(text))
        #expect(samples.map(\.name) == harmless.map(\.name) && samples.map(\.value) == harmless.map(\.value))
        let shown = DisplayText.text(text)
        for (sample, other) in zip(samples, harmless) {
            #expect(sample.labels.map(\.name) == other.labels.map(\.name))
            for (label, own) in zip(sample.labels, other.labels) {
                #expect(label.value == (own.value == "a.test" ? shown : own.value))
                #expect(label.value.unicodeScalars.allSatisfy(DisplayText.isHarmless))
            }
        }
        #expect(samples.contains { $0.labels.contains { $0.value == shown } })
    }

    @Test("All of them together have series of their own")
    func series() throws {
        let samples = try Self.samples(of: Self.board(Self.hostile))
        #expect(Set(samples).count == samples.count)
        #expect(samples.count { $0.name == "servertrust_host_duration_seconds" } == Self.hostile.count)
    }

    // MARK: What a reader does

    private struct Sample: Hashable {
        struct Label: Hashable {
            let name: String
            let value: String
        }

        let name: String
        var labels: [Label] = []
        var value = ""

        func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

        /// A series is told by its name and labels.
        static func == (left: Sample, right: Sample) -> Bool { left.name == right.name && left.labels == right.labels }
    }

    private struct GrammarError: Error {
        let rest: String
    }

    /// Reads the text by its grammar (https://prometheus.io/docs/instrumenting/exposition_formats/), octet by octet.
    private static func samples(of board: MetricsBoard) throws -> [Sample] {
        var samples: [Sample] = []
        var (rest, types) = (Array(board.text.utf8)[...], Set<String>())
        while !rest.isEmpty {
            guard rest.first == UInt8(ascii: "#") else {
                let sample = try Self.sample(&rest)
                guard types.contains(sample.name) else { throw GrammarError(rest: sample.name) }
                samples.append(sample)
                continue
            }
            let line = String(decoding: rest.prefix { $0 != 0x0A }, as: UTF8.self)
            rest = rest[(rest.startIndex + line.utf8.count)...]
            try Self.take("\n", &rest)
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count == 4, words[1] == "HELP" || words[1] == "TYPE" && types.insert(String(words[2])).inserted
            else { throw GrammarError(rest: line) }
        }
        return samples
    }

    private static func sample(_ rest: inout ArraySlice<UInt8>) throws -> Sample {
        var sample = Sample(name: try Self.name(&rest))
        if rest.first == UInt8(ascii: "{") {
            repeat {
                rest.removeFirst()
                let name = try Self.name(&rest)
                try Self.take("=\"", &rest)
                sample.labels.append(.init(name: name, value: try Self.value(&rest)))
            } while rest.first == UInt8(ascii: ",")
            try Self.take("}", &rest)
        }
        try Self.take(" ", &rest)
        sample.value = String(decoding: rest.prefix { $0 != 0x0A && $0 != 0x20 }, as: UTF8.self)
        guard sample.value == "NaN" || Double(sample.value) != nil else { throw GrammarError(rest: sample.value) }
        rest = rest.dropFirst(sample.value.utf8.count)
        try Self.take("\n", &rest)
        return sample
    }

    private static func name(_ rest: inout ArraySlice<UInt8>) throws -> String {
        let name = rest.prefix { octet in
            (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == UInt8(ascii: "_")
        }
        guard let first = name.first, !(0x30...0x39).contains(first) else {
            throw GrammarError(rest: String(decoding: rest.prefix(40), as: UTF8.self))
        }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    /// The value of a label, up to its quote. A backslash stands before itself, a quote, and an n for the end of a line.
    private static func value(_ rest: inout ArraySlice<UInt8>) throws -> String {
        var value: [UInt8] = []
        while let octet = rest.popFirst(), octet != UInt8(ascii: "\"") {
            guard octet == UInt8(ascii: "\\") else {
                guard octet != 0x0A else { throw GrammarError(rest: "a line ends in a label") }
                value.append(octet)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): value.append(0x0A)
            case let escaped? where "\\\"".utf8.contains(escaped): value.append(escaped)
            default: throw GrammarError(rest: "an unknown escape")
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    private static func take(_ text: String, _ rest: inout ArraySlice<UInt8>) throws {
        guard rest.starts(with: text.utf8) else {
            throw GrammarError(rest: String(decoding: rest.prefix(40), as: UTF8.self))
        }
        rest = rest.dropFirst(text.utf8.count)
    }

    // MARK: Boards

    /// A board of one host that is called so in every way.
    private static func board(_ text: String) -> MetricsBoard {
        let board = MetricsBoard(interval: .seconds(60))
        var record = Self.record(text)
        (record.connectTo, record.sni, record.startTLS) = (text, text, text)
        board.take(record)
        return board
    }

    private static func board(_ hosts: [String]) -> MetricsBoard {
        let board = MetricsBoard(interval: .seconds(60))
        for host in hosts { board.take(Self.record(host)) }
        return board
    }

    private static func record(_ host: String) -> ScanRecord {
        var record = ScanRecord(
            line: 1, date: "now", outcome: .init(ats: "passed", fcp: "failed", trust: "unknown"))
        (record.host, record.port) = (host, 443)
        return record
    }
}
