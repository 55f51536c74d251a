//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A place in a text file, as editors count: both from 1.
public struct TextPosition: Sendable, Hashable {
    /// The line; LF, CRLF and a lone CR end one.
    public let line: Int
    /// The column in Unicode scalars, a tab being one of them; a byte order mark is not counted.
    public let column: Int

    /// A place in a text file.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
