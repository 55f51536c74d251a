//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The path and the query of a URL in the form that is sent.
enum URLTarget {
    /// Returns the target with dot segments resolved, octets outside ASCII escaped, and without the fragment.
    static func target(of octets: ArraySlice<UInt8>) -> String {
        let sent = octets.prefix { $0 != UInt8(ascii: "#") }
        let path = sent.prefix { $0 != UInt8(ascii: "?") }
        let resolved = Self.removingDots(Self.escape(path, blank: "%20"))
        return resolved + String(decoding: Self.escape(sent[path.endIndex...], blank: "+"), as: UTF8.self)
    }

    /// Escapes blanks as curl and browsers do, in a query as forms do.
    private static func escape(_ octets: ArraySlice<UInt8>, blank: String) -> [UInt8] {
        guard octets.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return Array(octets) }
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        escaped.reserveCapacity(octets.count)
        for octet in octets {
            if octet == UInt8(ascii: " ") {
                escaped += blank.utf8
            } else if octet < 0x20 || octet >= 0x7F {
                escaped += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 0xF)]]
            } else {
                escaped.append(octet)
            }
        }
        return escaped
    }

    /// Removes dot segments from a path (RFC 3986 §5.2.4), including escaped ones, which servers resolve as well.
    private static func removingDots(_ path: [UInt8]) -> String {
        guard path.first == UInt8(ascii: "/") else { return path.isEmpty ? "/" : Self.removingDots([0x2F] + path) }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            switch Self.dots(segment) {
            case 1: if isLast { kept.append([]) }
            case 2:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default: kept.append(segment)
            }
        }
        return kept.reduce(into: "") { $0 += "/" + String(decoding: $1, as: UTF8.self) }
    }

    /// Returns the number of dots in a segment that consists of one or two, and 0 for any other segment.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        var (rest, count) = (segment, 0)
        while let octet = rest.popFirst() {
            // A dot may be escaped (RFC 3986 §6.2.2.2).
            let escape = rest.prefix(2)
            if octet == UInt8(ascii: "%"), escape.elementsEqual("2e".utf8) || escape.elementsEqual("2E".utf8) {
                rest = rest.dropFirst(2)
            } else if octet != UInt8(ascii: ".") {
                return 0
            }
            count += 1
            guard count <= 2 else { return 0 }
        }
        return count
    }
}
