//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A half-open range of offsets into one buffer of at most 4 GiB.
///
/// Certificates keep ranges instead of slices. A range is eight bytes and keeps no buffer alive, and the code that
/// reads it names the buffer again.
public struct ByteRange: Sendable, Hashable {
    /// The offset of the first byte.
    public let start: UInt32
    /// The offset after the last byte.
    public let end: UInt32

    static let empty = ByteRange(start: 0, end: 0)

    /// Creates a range from two offsets that a reader has already compared with its buffer.
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

    /// `true` if the range holds no bytes.
    public var isEmpty: Bool { self.start == self.end }

    @inline(__always)
    var lowerBound: Int { Int(self.start) }

    @inline(__always)
    var upperBound: Int { Int(self.end) }
}

extension [UInt8] {
    /// The bytes of a range, copied, or no bytes if the range does not belong to this buffer.
    package subscript(_ range: ByteRange) -> [UInt8] {
        guard range.upperBound <= self.count else { return [] }
        return Array(self[range.lowerBound..<range.upperBound])
    }

    /// Returns the bytes of a range without a copy, or no bytes if the range does not belong to this buffer.
    func slice(_ range: ByteRange) -> ArraySlice<UInt8> {
        guard range.upperBound <= self.count else { return [] }
        return self[range.lowerBound..<range.upperBound]
    }
}

func equalBytes(_ leftRange: ByteRange, in left: [UInt8], _ rightRange: ByteRange, in right: [UInt8]) -> Bool {
    equalBytes(leftRange, in: left.span, rightRange, in: right.span)
}

/// Returns `true` if two ranges of two buffers hold the same bytes. A range outside its buffer equals no other.
@inline(__always)
func equalBytes(
    _ leftRange: ByteRange, in leftBytes: Span<UInt8>, _ rightRange: ByteRange, in rightBytes: Span<UInt8>
) -> Bool {
    guard leftRange.count == rightRange.count, leftRange.upperBound <= leftBytes.count,
        rightRange.upperBound <= rightBytes.count
    else { return false }
    let left = leftBytes.extracting(leftRange.lowerBound..<leftRange.upperBound)
    let right = rightBytes.extracting(rightRange.lowerBound..<rightRange.upperBound)
    // No early exit, so that the loop is a few vector instructions for the usual sizes of names and keys.
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

extension ByteRange {
    /// Returns the content of an INTEGER without redundant leading octets. A serial number that breaks DER still
    /// matches its entry in a revocation list.
    func withoutLeadingZeros(in bytes: Span<UInt8>) -> ByteRange {
        var start = self.lowerBound
        while start &+ 1 < self.upperBound, bytes[start] == 0, bytes[start &+ 1] < 0x80 { start &+= 1 }
        return ByteRange(start, self.upperBound)
    }
}
