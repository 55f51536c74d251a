//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// What there is to say of one line of a list.
package struct ScanResult: Sendable {
    let record: ScanRecord
    /// Everything that was found out; `nil` where there was nobody to ask.
    var facts: JSONServerFacts?
    /// The object that the line was.
    var input: RawJSON?
}

extension ScanResult {
    /// The result as a line of JSON, the kind of line first, then the record's keys in alphabetical order, then the facts,
    /// then the line's own object.
    func line() throws -> [UInt8] {
        var line = Array("{\"format\":\"\(ScanRecord.format)\",".utf8)
        line += try JSONText.line(self.record).dropFirst().dropLast()
        if let facts { line += Array(",\"facts\":".utf8) + (try JSONText.line(facts)) }
        if let input { line += Array(",\"input\":\(input.text)".utf8) }
        line += Array("}\n".utf8)
        return line
    }
}
