//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A writer for a scheme with parameters.
struct FieldWriter {
    private(set) var octets: [UInt8]
    private var isFirst = true

    init(_ scheme: String) { self.octets = Array(scheme.utf8) }

    /// Appends a parameter as a quoted string. Quotes and backslashes are escaped, and control characters are omitted
    /// (RFC 9110 §5.6.4).
    mutating func add(_ name: String, quoted value: [UInt8]) {
        self.begin(name)
        self.octets.append(UInt8(ascii: "\""))
        for octet in value where FieldText.isText(octet) {
            if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { self.octets.append(UInt8(ascii: "\\")) }
            self.octets.append(octet)
        }
        self.octets.append(UInt8(ascii: "\""))
    }

    mutating func add(_ name: String, token value: String) {
        self.begin(name)
        self.octets += Array(value.utf8)
    }

    private mutating func begin(_ name: String) {
        self.octets += Array((self.isFirst ? " " : ", ").utf8) + Array(name.utf8) + [UInt8(ascii: "=")]
        self.isFirst = false
    }
}

/// The extended notation for values with characters beyond ASCII (RFC 8187 §3.2).
enum ExtendedValue {
    /// Returns the text in UTF-8, with percent-encoding of all octets except `attr-char`.
    static func text(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let octets = value.utf8.flatMap { octet -> [UInt8] in
            guard !Self.isPlain(octet) else { return [octet] }
            return [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 0x0F)]]
        }
        return "UTF-8''" + String(decoding: octets, as: UTF8.self)
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        FieldText.isTokenOctet(octet) && !"*'%".utf8.contains(octet)
    }
}

/// Base64 with padding (RFC 4648 §4).
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ octets: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((octets.count + 2) / 3 * 4)
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0..<4 {
                let digit = Self.alphabet[bits >> (18 - 6 * position) & 0x3F]
                output.append(position <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return output
    }
}
