//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A half-open range of offsets into one buffer of at most 4 GiB.
///
/// Certificates keep ranges instead of slices: a range is eight bytes, owns nothing, and cannot outlive its meaning
/// without the buffer being named again at the point of use.
public struct ByteRange: Sendable, Hashable {
    /// The offset of the first byte.
    public let start: UInt32
    /// The offset after the last byte.
    public let end: UInt32

    /// The range that holds nothing.
    static let empty = ByteRange(start: 0, end: 0)

    /// A range between two offsets a reader has already compared with its buffer.
    init(start: UInt32, end: UInt32) {
        self.start = start
        self.end = max(start, end)
    }

    @inline(__always)
    init(_ start: Int, _ end: Int) {
        self.init(start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end))
    }

    /// The number of bytes in the range.
    public var count: Int { Int(self.end &- self.start) }

    /// Whether the range holds no bytes.
    public var isEmpty: Bool { self.start == self.end }

    /// The offset of the first byte, as an index.
    @inline(__always)
    var lowerBound: Int { Int(self.start) }

    /// The offset after the last byte, as an index.
    @inline(__always)
    var upperBound: Int { Int(self.end) }
}

extension [UInt8] {
    /// The bytes of a range, copied; empty when the range does not belong to this buffer.
    package subscript(_ range: ByteRange) -> [UInt8] {
        guard range.upperBound <= self.count else { return [] }
        return Array(self[range.lowerBound..<range.upperBound])
    }

    /// The bytes of a range without a copy; empty when the range does not belong to this buffer.
    func slice(_ range: ByteRange) -> ArraySlice<UInt8> {
        guard range.upperBound <= self.count else { return [] }
        return self[range.lowerBound..<range.upperBound]
    }
}

/// Whether two ranges of two buffers hold the same bytes.
func equalBytes(_ leftRange: ByteRange, in left: [UInt8], _ rightRange: ByteRange, in right: [UInt8]) -> Bool {
    equalBytes(leftRange, in: left.span, rightRange, in: right.span)
}

/// Whether two ranges of two buffers hold the same bytes; a range that does not belong to its buffer equals none.
@inline(__always)
func equalBytes(
    _ leftRange: ByteRange, in leftBytes: Span<UInt8>, _ rightRange: ByteRange, in rightBytes: Span<UInt8>
) -> Bool {
    guard leftRange.count == rightRange.count, leftRange.upperBound <= leftBytes.count,
        rightRange.upperBound <= rightBytes.count
    else { return false }
    let left = leftBytes.extracting(leftRange.lowerBound..<leftRange.upperBound)
    let right = rightBytes.extracting(rightRange.lowerBound..<rightRange.upperBound)
    // Without an early end, so that the loop is a few vector instructions for the sizes names and keys have.
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

extension ByteRange {
    /// The content of an INTEGER without octets that only lengthen it: an issuer that breaks DER has revoked the certificate all
    /// the same.
    func withoutLeadingZeros(in bytes: Span<UInt8>) -> ByteRange {
        var start = self.lowerBound
        while start &+ 1 < self.upperBound, bytes[start] == 0, bytes[start &+ 1] < 0x80 { start &+= 1 }
        return ByteRange(start, self.upperBound)
    }
}
