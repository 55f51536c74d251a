//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A place in a text file, counted from 1 as editors do.
///
/// Errors and findings about a configuration file carry it, so that a person can jump to the place in an editor.
public struct TextPosition: Sendable, Hashable {
    /// The line. LF, CRLF and a lone CR end a line.
    public let line: Int
    /// The column in Unicode scalars. A tab is one column, and a byte order mark is not counted.
    public let column: Int

    /// Creates a position from a line and a column, both counted from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
