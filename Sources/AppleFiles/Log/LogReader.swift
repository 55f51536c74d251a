//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads a log of any size in bounded memory: text of `log show`, one JSON object a line, a console, a crash report, or what
/// people quote from those.
package struct LogReader {
    /// The log, complete once ``read(_:)`` has returned.
    package private(set) var log = DeviceLog()

    private var buffer: [UInt8]
    /// Records whose lines name no server, until one near them does.
    private var waiting: [(record: LoggedRecord, offset: Int, time: String?)] = []
    /// The server that nscurl is asked about, while its output goes on.
    private var testedServer: String?

    /// A few of the longest records: reading in larger pieces is no faster.
    private static let bufferSize = 1 << 20
    private static let smallBufferSize = 160 << 10
    /// The most octets of one record, which may have many lines.
    private static let maximumRecord = 64 << 10
    /// The lines of a message that is folded; errors with their chains have more, and an end of their own.
    private static let maximumFolds = 6
    /// The distance, in octets, in which the beginning of a line or the title of a test is looked for.
    private static let lookBehind = 8 << 10
    /// The largest distance, in octets, between lines about one failure.
    private static let nearness = 32 << 10
    private static let maximumWaiting = 256

    /// Words of which each line that matters has one, wherever it is folded.
    private static let words = WordSearch([
        "iolation]", "Trust evaluate", "evaluate failure", "failed system", "system trust", "[3:-98", "(3:-98",
        " 3:-98",
        "cleartext HTTP", "DomainSSL", "TLS Trust", "NSURLErrorDomain", "server certificate for", "HTTPS loads to",
        "Result : ",
    ])

    package init() { self.buffer = [UInt8](repeating: 0, count: Self.bufferSize) }

    /// A reader of a text that a person pastes.
    init(small: Void) { self.buffer = [UInt8](repeating: 0, count: Self.smallBufferSize) }

    /// Reads everything.
    ///
    /// - Parameter fill: Writes what comes next into the buffer, and returns how much that is: nothing at the end.
    package mutating func read(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        // What was searched, what is there, and where the buffer begins in the log.
        var (searched, count, base) = (0, 0, 0)
        var isAtEnd = false
        while !isAtEnd {
            let kept = max(0, searched - Self.lookBehind)
            if kept > 0 {
                self.buffer.withUnsafeMutableBytes { octets in
                    octets.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[kept..<count]))
                }
            }
            (searched, count, base) = (searched - kept, count - kept, base + kept)
            let added = try self.buffer.withUnsafeMutableBytes { octets in
                try fill(UnsafeMutableRawBufferPointer(rebasing: octets[count...]))
            }
            (isAtEnd, count) = (added == 0, count + added)
            searched = self.search(from: searched, to: count, base: base, isAtEnd: isAtEnd)
        }
        self.log.size = base + count
        self.release(before: .max)
    }

    /// Searches what is in the buffer. Returns up to where: a record that may go on behind the end is left for later.
    private mutating func search(from start: Int, to count: Int, base: Int, isAtEnd: Bool) -> Int {
        let buffer = self.buffer
        return buffer.withUnsafeBytes { octets in
            let octets = UnsafeRawBufferPointer(rebasing: octets[..<count])
            var searched = start
            while let hit = Self.words.first(in: octets, from: searched) {
                guard isAtEnd || count - hit >= Self.maximumRecord else { return hit }
                searched = self.readRecord(in: octets, at: hit, base: base)
            }
            // A word may be cut in two by the end.
            return max(searched, isAtEnd ? count : count - Self.longestWord)
        }
    }

    private static let longestWord = 32
}

// MARK: - One record

extension LogReader {
    /// Reads the record around a word. Returns where to go on.
    private mutating func readRecord(in octets: UnsafeRawBufferPointer, at hit: Int, base: Int) -> Int {
        let lines = LogLines(octets)
        var start = lines.start(of: hit, within: Self.lookBehind)
        var end = lines.end(from: hit, within: Self.maximumRecord)
        var text = lines.text(start, end)
        if self.readTest(text, lines, start: start) { return end }
        var message = LogMessage(text)
        // The word may stand in the second line of a message.
        if message.isEmpty, start > 0, !lines.beginsRecord(at: start) {
            start = lines.start(of: start - 1, within: Self.lookBehind)
            text = lines.text(start, end)
            message = LogMessage(text)
        }
        // A folded message goes on in the next line, unless that begins with one of its own.
        var more = 0
        while message.isIncomplete || (message.isChecks && lines.continuesChecks(at: end)), more < Self.maximumFolds,
            lines.hasMore(at: end)
        {
            end = lines.end(from: end + 1, within: Self.maximumRecord)
            text = lines.text(start, end)
            message = LogMessage(text)
            more += 1
        }
        if message.isIncomplete {
            end = lines.endOfRecord(from: end, within: Self.maximumRecord)
            text = lines.text(start, end)
            message = LogMessage(text)
        }
        self.take(message, text, at: base + start, time: lines.time(at: start))
        return max(end, hit + 1)
    }

    private mutating func take(_ message: LogMessage, _ text: String, at offset: Int, time: String?) {
        self.release(before: offset - Self.nearness)
        for record in message.records {
            if let server = record.server {
                if server != self.testedServer { self.testedServer = nil }
                self.attach(server, of: record)
                self.log.add(record, at: time)
            } else if let testedServer {
                var record = record
                record.server = testedServer
                self.log.add(record, at: time)
            } else {
                self.waiting.append((record, offset, time))
                if self.waiting.count > Self.maximumWaiting { self.releaseFirst() }
            }
        }
        // A message whose end is not found says something of a known kind: it is not passed over.
        if message.isUnknown || message.isIncomplete && message.records.isEmpty {
            self.log.addUnknown(LogLines.message(in: text))
        }
    }

    /// Gives records that wait for a server the one that a line near them names, unless they are about another task, or about
    /// another failure.
    private mutating func attach(_ server: String, of record: LoggedRecord) {
        let (mine, others) = self.waiting.reduce(into: ([(LoggedRecord, String?)](), self.waiting.prefix(0).map { $0 }))
        {
            parts, entry in
            if let task = record.task, let other = entry.record.task, task != other {
                parts.1.append(entry)
            } else if entry.record.fault.contradicts(record.fault) {
                parts.1.append(entry)
            } else {
                parts.0.append((entry.record, entry.time))
            }
        }
        self.waiting = others
        for (record, time) in mine {
            var record = record
            record.server = server
            self.log.add(record, at: time)
        }
    }

    private mutating func release(before offset: Int) {
        while let first = self.waiting.first, first.offset < offset { self.releaseFirst() }
    }

    private mutating func releaseFirst() {
        let (record, _, time) = self.waiting.removeFirst()
        self.log.add(record, at: time)
    }
}

// MARK: - nscurl

extension LogReader {
    /// Reads a line of nscurl's. Returns whether it is one.
    private mutating func readTest(_ text: String, _ lines: LogLines, start: Int) -> Bool {
        let line = MessageText(text)
        if let end = line.ends(of: "HTTPS loads to").first {
            self.testedServer = line.after(end).trimmed.urlServer
            return true
        }
        guard let end = line.ends(of: "Result : ").first, line.before(end).string == "Result : " else { return false }
        if line.after(end).hasPrefix("FAIL") {
            let title = lines.testTitle(before: start, within: Self.lookBehind)
            self.log.add(LoggedRecord(.test(title ?? "a test"), server: self.testedServer), at: nil)
        }
        return true
    }
}

extension LogMessage {
    /// True for failed checks, of which more may follow.
    fileprivate var isChecks: Bool {
        if case .checks = self.records.last?.fault { true } else { false }
    }
}

extension LogReader {
    /// Returns the servers of a short text.
    package static func records(in text: String) -> [DeviceLog.Server] {
        var reader = LogReader(small: ())
        var rest = Array(text.utf8)[...]
        do {
            try reader.read { buffer in
                let part = rest.prefix(buffer.count)
                buffer.copyBytes(from: part)
                rest = rest.dropFirst(part.count)
                return part.count
            }
        } catch {
            // Memory can be read.
            return []
        }
        return reader.log.servers
    }
}
