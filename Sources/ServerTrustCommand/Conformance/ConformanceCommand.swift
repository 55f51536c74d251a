//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust conformance`: path validation as a filter, for test suites.
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Answer path-validation test cases: one JSON request per line in, one JSON answer per line out.",
        discussion: """
            Speaks version 1 of the line protocol for path-validation suites such as x509-limbo and NIST PKITS. Each \
            request has "v": 1, an "id" that is echoed, and an "op": "validate" judges a leaf with intermediates and \
            roots, "parse" tells whether bytes are a certificate, "ats" what an NSAppTransportSecurity \
            dictionary asks of a connection, "ats-pins" how many of its pins apply. Every line has an answer, with \
            "id": null where none can be read. Answers keep the order of the requests and are flushed one by one. Ends \
            at the end of its input.
            """
    )

    /// More than any request with a hundred certificates.
    private static let maximumLine = 64 << 20

    func run() throws {
        let responder = ConformanceResponder(publicSuffixes: PublicSuffixFile.system())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        var lines = BoundedLines(maximumLength: Self.maximumLine, read: Console.read)
        while let line = try lines.next() {
            let answer: any Encodable =
                switch line {
                case .whole(let line): responder.answer(to: line)
                case .tooLong: ConformanceAnswer.unreadable("the line is longer than \(Self.maximumLine) octets")
                }
            var output = try encoder.encode(answer)
            output.append(UInt8(ascii: "\n"))
            guard try Console.write(Array(output)) else { return }
        }
    }
}

/// The lines of an input, none longer than a limit: of a longer one only is told that it was there.
struct BoundedLines {
    enum Line: Equatable {
        case whole([UInt8])
        case tooLong
    }

    private let maximumLength: Int
    private let read: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var searched = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - maximumLength: The longest line that is kept.
    ///   - read: Gives what comes next, and nothing at the end.
    init(maximumLength: Int, read: @escaping () throws -> [UInt8]) {
        self.maximumLength = maximumLength
        self.read = read
    }

    /// The next line without its end; `nil` at the end of the input.
    mutating func next() throws -> Line? {
        var isTooLong = false
        while true {
            if let newline = self.buffer[self.searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(self.buffer[..<newline])
                self.buffer.removeFirst(newline + 1)
                self.searched = 0
                return isTooLong || line.count > self.maximumLength ? .tooLong : .whole(line)
            }
            guard !self.isAtEnd else {
                defer { (self.buffer, self.searched) = ([], 0) }
                if isTooLong { return .tooLong }
                return self.buffer.isEmpty ? nil : .whole(self.buffer)
            }
            self.searched = self.buffer.count
            if self.buffer.count > self.maximumLength {
                (self.buffer, self.searched, isTooLong) = ([], 0, true)
            }
            try self.fill()
        }
    }

    private mutating func fill() throws {
        let bytes = try self.read()
        self.isAtEnd = bytes.isEmpty
        self.buffer.append(contentsOf: bytes)
    }
}
