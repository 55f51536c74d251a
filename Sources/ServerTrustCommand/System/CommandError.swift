//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// The meanings of the exit codes.
enum ExitCodes {
    /// The section of every `--help`.
    static let help = """
        EXIT CODES
          0  trusted
          1  not trusted
          2  not evaluated: wrong arguments, unreadable input, no connection
        """
}

/// An error that prevents a command from completing, in one line with its remedy.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ReportVerdict {
    /// Ends a command with the exit code of the verdict.
    func finish() throws {
        guard self == .trusted else { throw ExitCode(self.rawValue) }
    }
}
