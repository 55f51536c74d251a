//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import ServerReports
import SystemPackage

/// The two streams a command writes to.
enum Console {
    /// Writes to standard output, whole and at once.
    ///
    /// A reader that has gone away, as `head` does, is no error: the exit code still tells the verdict.
    ///
    /// - Returns: Whether there is a reader.
    /// - Throws: ``CommandError`` when the output cannot be written, for example to a full disk.
    @discardableResult
    static func write(_ text: String) throws -> Bool { try Self.write(Array(text.utf8)) }

    /// Writes bytes to standard output as ``write(_:)-(String)`` writes text.
    @discardableResult
    static func write(_ bytes: [UInt8]) throws -> Bool {
        do throws(SystemError) {
            try Descriptor.standardOutput.write(bytes)
            return true
        } catch {
            guard error.isBrokenPipe else { throw CommandError("cannot write the output: \(error)") }
            return false
        }
    }

    /// Reads what standard input has ready, and waits for something if it has nothing.
    ///
    /// - Returns: The bytes; none at the end.
    /// - Throws: ``CommandError`` when the input cannot be read.
    static func read() throws -> [UInt8] {
        do throws(SystemError) {
            return try Descriptor.standardInput.read(Self.readSize)
        } catch {
            throw CommandError("cannot read the input: \(error)")
        }
    }

    private static let readSize = 1 << 16

    /// Writes one line to standard error, with the program's name in front.
    static func complain(_ message: String) {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        Self.say("servertrust: \(DisplayText.text(line))\n")
    }

    /// Says of each file that was named and was of no use in any of several judgments what became of it.
    static func warn(ofFiles judgments: [Judgment]) {
        var told: [String] = []
        let used = Set(judgments.flatMap { $0.givenFiles.filter(\.isUsed).map(\.name) })
        for file in judgments.flatMap(\.givenFiles) where !used.contains(file.name) && !told.contains(file.name) {
            told.append(file.name)
            Self.complain("\(file.name) was used for nothing: \(file.outcome)")
        }
    }

    /// Writes text to standard error as it is. Where even this cannot be written, there is no place left to say so.
    static func say(_ text: String) { try? Descriptor.standardError.write(Array(text.utf8)) }

    /// Whether standard error is a terminal.
    static var isErrorTerminal: Bool { Descriptor.standardError.isTerminal }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { Descriptor.standardOutput.isTerminal }
}
