//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// The range of a partial response (RFC 9110 §14.4).
package enum ContentRange: Equatable {
    /// The range of octets, and the total number or `nil` if it is unknown.
    case part(ClosedRange<Int>, total: Int?)
    /// The requested range is not available. The content has this total number of octets.
    case unsatisfied(total: Int)

    /// Reads the Content-Range field.
    ///
    /// - Returns: `nil` if the field is absent, repeated, or not a valid range of octets.
    package init?(_ fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard values.count == 1, let value = values.first?.lowercased(), value.hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        guard parts[0] != "*" else {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true, last < Int.max
        else { return nil }
        self = .part(first...last, total: total)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
