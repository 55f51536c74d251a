//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// What the exit codes mean.
enum ExitCodes {
    /// The section of every `--help`.
    static let help = """
        EXIT CODES
          0  trusted
          1  not trusted
          2  not evaluated: wrong arguments, unreadable input, no connection
        """
}

/// Something that keeps a command from doing its work, said in one line with what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ReportVerdict {
    /// Ends a command with the verdict's exit code.
    func finish() throws {
        guard self == .trusted else { throw ExitCode(self.rawValue) }
    }
}
