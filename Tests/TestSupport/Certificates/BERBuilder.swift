//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes BER, right or wrong as a test wants it.
package enum BER {
    /// An element of indefinite length.
    package static func indefinite(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        [tag, 0x80] + content.joined() + [0, 0]
    }

    /// An OCTET STRING in parts.
    package static func octetString(_ parts: [UInt8]...) -> [UInt8] {
        self.indefinite(0x24, parts.flatMap(DER.octetString))
    }

    /// DER with indefinite lengths in place of definite ones, and with every OCTET STRING in two parts; `nil` for octets that
    /// are no DER.
    ///
    /// - Parameters:
    ///   - der: One element, or several.
    ///   - depth: The levels that are written anew; deeper elements are copied.
    package static func rewritten(_ der: [UInt8], depth: Int = 12) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = der[...]
        while !rest.isEmpty {
            guard let (tag, content, whole) = self.element(at: &rest) else { return nil }
            if tag & 0x20 != 0, depth > 0 {
                guard let inner = self.rewritten(Array(content), depth: depth - 1) else { return nil }
                output += self.indefinite(tag, inner)
            } else if tag == 0x04, depth > 0 {
                let middle = content.count / 2
                output += self.octetString(Array(content.prefix(middle)), Array(content.dropFirst(middle)))
            } else {
                output += whole
            }
        }
        return output
    }

    private static func element(
        at rest: inout ArraySlice<UInt8>
    ) -> (tag: UInt8, content: ArraySlice<UInt8>, whole: ArraySlice<UInt8>)? {
        let whole = rest
        guard let tag = rest.popFirst(), tag != 0, tag & 0x1F != 0x1F, let first = rest.popFirst(), first != 0x80,
            first <= 0x84
        else { return nil }
        var count = Int(first)
        if first > 0x80 {
            let octets = rest.prefix(Int(first & 0x7F))
            guard octets.count == first & 0x7F else { return nil }
            count = octets.reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(octets.count)
        }
        guard count <= rest.count else { return nil }
        let content = rest.prefix(count)
        rest = rest.dropFirst(count)
        return (tag, content, whole.dropLast(rest.count))
    }
}
