//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a conversation before TLS fails, in any protocol.
enum NegotiationError: Error, Hashable {
    case notOffered
    case rejected(String)
    case unexpected(String)
    case tooMuch(limit: Int)
    case extraBytes
    case needsAuthentication
    case failedAuthentication
}

/// The bytes that were received and not yet consumed. Nothing in them is trusted, least of all a length.
struct NegotiationInput: Sendable {
    /// The maximum length of a line or other piece, in bytes. RFC 5321 §4.5.3.1.5 has 512, and RFC 7162 §4 at most 8,192.
    static let pieceLimit = 4096
    static let totalLimit = 65536

    private var bytes: [UInt8] = []
    private var position = 0
    private var total = 0

    var rest: ArraySlice<UInt8> { self.bytes[self.position...] }

    var isEmpty: Bool { self.position == self.bytes.count }

    var isOverLimit: Bool { self.total > Self.totalLimit }

    mutating func append(_ more: [UInt8]) {
        self.bytes.removeFirst(self.position)
        self.position = 0
        self.bytes += more
        self.total += more.count
    }

    mutating func drop(_ count: Int) {
        self.position += min(max(count, 0), self.bytes.count - self.position)
    }

    /// Consumes the next line and returns it without its end, or returns `nil` until the line is complete.
    ///
    /// The CR may be missing. Other control characters do not occur in lines: a server that sends them speaks TLS, or another
    /// protocol without lines. Only the text of a refusal may have them, as it is shown and never interpreted.
    ///
    /// - Parameter isRefusal: Returns `true` if a line that begins with these bytes is a refusal.
    mutating func line(
        where isRefusal: (ArraySlice<UInt8>) -> Bool = { _ in false }
    ) throws(NegotiationError) -> [UInt8]? {
        let end = self.rest.firstIndex(of: UInt8(ascii: "\n"))
        let line = self.rest[..<(end ?? self.rest.endIndex)]
        let control = line.firstIndex { $0 < 0x20 && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t") }
        if let index = control, !isRefusal(line[..<index]) {
            // RFC 8446 §5.1: a server that speaks TLS at once begins with an alert or a handshake record.
            let isTLS = index == line.startIndex && (0x15...0x16).contains(line[index])
            throw .unexpected(isTLS ? "a record of TLS" : String(printable: line[...index]))
        }
        guard line.count <= Self.pieceLimit else { throw .tooMuch(limit: Self.pieceLimit) }
        guard end != nil else { return nil }
        self.drop(line.count + 1)
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}

extension String {
    init(printable bytes: some Sequence<UInt8>) {
        self = PrintableASCII.text(bytes, limit: 200)
    }
}
