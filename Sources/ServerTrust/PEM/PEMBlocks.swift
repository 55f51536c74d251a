//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of all blocks of a PEM text with their labels, for displaying a file. It decides nothing about trust.
package struct PEMBlocks {
    private var lines: ArraySlice<ArraySlice<UInt8>>
    private var line = 0

    /// A block of a PEM text.
    package struct Block {
        /// The line that begins the block, from 1.
        package let line: Int
        package let label: String
        /// The octets of the block, or `nil` if they cannot be read.
        package let der: [UInt8]?
        /// The reason why the octets cannot be read.
        package let fault: String
        /// `true` if the block ends with its own label.
        package let hasEnd: Bool
    }

    package init(_ text: [UInt8]) {
        self.lines = text.split(omittingEmptySubsequences: false) { $0 == 0x0A }[...]
    }

    package mutating func next() -> Block? {
        while let text = self.nextLine() {
            guard let label = Self.label(of: text, "BEGIN") else { continue }
            return self.block(label, from: self.line)
        }
        return nil
    }

    /// Returns `true` if blocks with the label hold keys or their parameters, which may be encrypted. Such blocks are named but not
    /// read.
    package static func isKey(_ label: String) -> Bool {
        label.hasSuffix("PRIVATE KEY") || label.hasSuffix("PUBLIC KEY") || label.hasSuffix("PARAMETERS")
    }

    private mutating func block(_ label: String, from start: Int) -> Block {
        var decoder = Base64Decoder(capacity: 2_048)
        var fault: String?
        while let text = self.nextLine() {
            if let end = Self.label(of: text, "END") {
                if end != label { fault = "it ends as \(end)" }
                let isWhole = fault == nil && decoder.finish()
                return Block(
                    line: start, label: label, der: isWhole ? decoder.output : nil,
                    fault: fault ?? "its Base64 is not whole", hasEnd: end == label)
            }
            if fault == nil, !decoder.append(text) { fault = "it has lines that are not Base64, as encrypted keys do" }
        }
        return Block(line: start, label: label, der: nil, fault: "it has no end", hasEnd: false)
    }

    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard var text = self.lines.popFirst() else { return nil }
        self.line += 1
        while let last = text.last, last == 0x0D || last == 0x20 || last == 0x09 { text.removeLast() }
        return text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    }

    private static func label(of line: ArraySlice<UInt8>, _ keyword: String) -> String? {
        let prefix = Array("-----\(keyword) ".utf8)
        guard line.starts(with: prefix), line.suffix(5).elementsEqual("-----".utf8), line.count >= prefix.count + 5
        else {
            return nil
        }
        return PEMLabel.text(of: line.dropFirst(prefix.count).dropLast(5))
    }
}
