//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// The result of one line of a list.
package struct ScanResult: Sendable {
    let record: ScanRecord
    /// All facts about the server, or `nil` if no server was probed.
    var facts: JSONServerFacts?
    var input: RawJSON?
    /// The original line of an earlier result, which is written unchanged. `nil` for a new result.
    var written: [UInt8]?
}

extension ScanResult {
    /// The first bytes of every line of results.
    static let beginning = Array("{\"format\":\"\(ScanRecord.format)\",".utf8)

    /// Returns the result as a line of JSON: the format, the record's keys in alphabetical order, the facts, and the
    /// line's own object.
    ///
    /// - Throws: `SystemError` if the result cannot be encoded.
    func line() throws(SystemError) -> [UInt8] { try SystemError.only { try self.encoded() } }

    private func encoded() throws -> [UInt8] {
        if let written { return Array(JSONText.escaped(String(decoding: written, as: UTF8.self)).utf8) + [0x0A] }
        var line = Self.beginning
        line += try JSONText.line(self.record).dropFirst().dropLast()
        if let facts { line += Array(",\"facts\":".utf8) + (try JSONText.line(facts)) }
        if let input { line += Array(",\"input\":\(input.text)".utf8) }
        line += Array("}\n".utf8)
        return line
    }
}
