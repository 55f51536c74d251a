//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader for logs of any size that uses bounded memory.
///
/// It reads the text of `log show`, one JSON object a line, the output of a console, a crash report, and quotations of these.
package struct LogReader {
    /// The log, complete after ``read(_:)`` returns.
    package private(set) var log = DeviceLog()

    private var buffer: [UInt8]
    /// Records without a server, until a nearby line names one.
    private var waiting: [(record: LoggedRecord, offset: Int, time: String?)] = []
    /// The server that nscurl tests, while its output continues.
    private var testedServer: String?

    /// The size of the buffer in octets, several times the longest record. A larger buffer is not faster.
    private static let bufferSize = 1 << 20
    private static let smallBufferSize = 160 << 10
    /// The largest record in octets. A record may have many lines.
    private static let maximumRecord = 64 << 10
    /// The most further lines of a folded message. Errors with chains have more lines and a recognizable end.
    private static let maximumFolds = 6
    /// The distance in octets within which the start of a line or the title of a test is searched.
    private static let lookBehind = 8 << 10
    /// The largest distance in octets between lines about one failure.
    private static let nearness = 32 << 10
    private static let maximumWaiting = 256

    /// The words to search for. Each relevant line contains one of them, wherever it is folded.
    private static let words = WordSearch([
        "iolation]", "Trust evaluate", "evaluate failure", "failed system", "system trust", "[3:-98", "(3:-98",
        " 3:-98",
        "cleartext HTTP", "DomainSSL", "TLS Trust", "NSURLErrorDomain", "server certificate for", "HTTPS loads to",
        "Result : ",
    ])

    package init() { self.buffer = [UInt8](repeating: 0, count: Self.bufferSize) }

    /// Creates a reader with a small buffer, for text that a person pastes.
    init(small: Void) { self.buffer = [UInt8](repeating: 0, count: Self.smallBufferSize) }

    /// Reads the whole log.
    ///
    /// - Parameter fill: A closure that writes the next octets into the buffer and returns their number, which is zero at the end.
    package mutating func read(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        // The end of the searched part, the end of the data, and the offset of the buffer in the log.
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

    /// Searches the buffer and returns the end of the searched part. A record that may continue after the buffer is left for later.
    private mutating func search(from start: Int, to count: Int, base: Int, isAtEnd: Bool) -> Int {
        let buffer = self.buffer
        return buffer.withUnsafeBytes { octets in
            let octets = UnsafeRawBufferPointer(rebasing: octets[..<count])
            var searched = start
            while let hit = Self.words.first(in: octets, from: searched) {
                guard isAtEnd || count - hit >= Self.maximumRecord else { return hit }
                searched = self.readRecord(in: octets, at: hit, base: base)
            }
            // The end of the buffer may split a word.
            return max(searched, isAtEnd ? count : count - Self.longestWord)
        }
    }

    private static let longestWord = 32
}

// MARK: - One record

extension LogReader {
    /// Reads the record that contains a word and returns the offset at which to continue.
    private mutating func readRecord(in octets: UnsafeRawBufferPointer, at hit: Int, base: Int) -> Int {
        let lines = LogLines(octets)
        var start = lines.start(of: hit, within: Self.lookBehind)
        var end = lines.end(from: hit, within: Self.maximumRecord)
        var text = lines.text(start, end)
        if self.readTest(text, lines, start: start) { return end }
        var message = LogMessage(text)
        // The word may be on the second line of a message.
        if message.isEmpty, start > 0, !lines.beginsRecord(at: start) {
            start = lines.start(of: start - 1, within: Self.lookBehind)
            text = lines.text(start, end)
            message = LogMessage(text)
        }
        // A folded message continues on the next line, unless that line starts a new message.
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
        // A message of a known kind is reported even if its end is not found.
        if message.isUnknown || message.isIncomplete && message.records.isEmpty {
            self.log.addUnknown(LogLines.message(in: text))
        }
    }

    /// Assigns the server of a record to the waiting records, except those of another task or another failure.
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
    /// Reads a line of nscurl's output and returns `true` if it is one.
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
    fileprivate var isChecks: Bool {
        if case .checks = self.records.last?.fault { true } else { false }
    }
}

extension LogReader {
    /// Returns the servers that a short text names, with their faults.
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
            // The closure reads memory, which cannot fail.
            return []
        }
        return reader.log.servers
    }
}
