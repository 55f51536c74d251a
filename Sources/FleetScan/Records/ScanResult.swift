//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// What there is to say of one line of a list.
package struct ScanResult: Sendable {
    let record: ScanRecord
    /// Everything that was found out; `nil` where there was no server to ask.
    var facts: JSONServerFacts?
    /// The object that the line was.
    var input: RawJSON?
    /// The line of earlier results that this is, which is handed on with all that is in it; `nil` for a new result.
    var written: [UInt8]?
}

extension ScanResult {
    /// What every line of results begins with.
    static let beginning = Array("{\"format\":\"\(ScanRecord.format)\",".utf8)

    /// The result as a line of JSON, the kind of line first, then the record's keys in alphabetical order, then the facts,
    /// then the line's own object.
    ///
    /// - Throws: `SystemError` where it cannot be encoded.
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
