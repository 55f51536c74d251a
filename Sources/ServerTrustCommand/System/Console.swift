//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO
import SystemPackage

/// The standard streams of a command.
enum Console {
    /// Writes all of a text to standard output.
    ///
    /// A closed pipe, as with `head`, is not an error. The exit code still reports the verdict.
    ///
    /// - Returns: `false` if the pipe is closed.
    /// - Throws: ``CommandError`` if the output cannot be written, for example to a full disk.
    @discardableResult
    static func write(_ text: String) throws -> Bool { try Self.write(Array(text.utf8)) }

    /// Writes bytes to standard output, as ``write(_:)-(String)`` writes text.
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

    /// Reads the available bytes of standard input, and waits if there are none.
    ///
    /// - Returns: The bytes, or an empty array at the end.
    /// - Throws: ``CommandError`` if the input cannot be read.
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

    /// Warns about each named file that no evaluation used.
    static func warn(ofFiles judgments: [Judgment]) {
        var told: [String] = []
        let used = Set(judgments.flatMap { $0.givenFiles.filter(\.isUsed).map(\.name) })
        for file in judgments.flatMap(\.givenFiles) where !used.contains(file.name) && !told.contains(file.name) {
            told.append(file.name)
            Self.complain("\(file.name) was used for nothing: \(file.outcome)")
        }
    }

    /// Warns about a client's key that Apple's systems do not sign with, where no report has notes.
    static func warn(ofKeyOf identity: TLSIdentity?) {
        guard let note = identity?.noteOnKey else { return }
        Self.complain("\(note) [\(note.code)]")
    }

    /// Writes text to standard error. A failure cannot be reported anywhere and is ignored.
    static func say(_ text: String) { try? Descriptor.standardError.write(Array(text.utf8)) }

    static var isErrorTerminal: Bool { Descriptor.standardError.isTerminal }

    static var isTerminal: Bool { Descriptor.standardOutput.isTerminal }
}
