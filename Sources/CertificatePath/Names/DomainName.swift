//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The structure of a DNS name in ASCII, found in one pass over its octets.
///
/// The rules are Apple's (SecCertificate.c, `SecFrameworkIsDNSName`). A name has at most 255 octets. A label has 1 to
/// 63 letters, digits, hyphens, underscores and asterisks, with no hyphen at either end. The last label has a letter
/// or asterisk, so no IPv4 address is a DNS name. A dot at either end makes an empty label.
struct DomainName {
    static let maximumLength = 255
    static let maximumLabelLength = 63

    private(set) var labels = 0
    private(set) var firstLabelEnd = 0
    private(set) var lastLabelStart = 0
    private var asterisks = 0
    private let name: ByteRange

    /// The use of asterisks in a name.
    enum Wildcard { case none, wholeLeftmostLabel, partOfLeftmostLabel, elsewhere }

    /// Reads a DNS name. `nil` if the range does not hold one.
    @inline(__always)
    init?(_ name: ByteRange, in bytes: Span<UInt8>) {
        guard !name.isEmpty, name.count <= Self.maximumLength, name.upperBound <= bytes.count else { return nil }
        self.name = name
        var labelStart = name.lowerBound
        var hasLetter = false
        for index in name.lowerBound..<name.upperBound {
            let octet = bytes[index]
            if octet == UInt8(ascii: ".") {
                guard self.endLabel(from: labelStart, to: index, in: bytes) else { return nil }
                (labelStart, hasLetter) = (index &+ 1, false)
                continue
            }
            guard octet.isDomainNameCharacter else { return nil }
            if octet == UInt8(ascii: "*") { self.asterisks &+= 1 }
            hasLetter = hasLetter || octet.isASCIILetter || octet == UInt8(ascii: "*")
        }
        guard hasLetter, self.endLabel(from: labelStart, to: name.upperBound, in: bytes) else { return nil }
        self.lastLabelStart = labelStart
    }

    @inline(__always)
    private mutating func endLabel(from start: Int, to end: Int, in bytes: Span<UInt8>) -> Bool {
        guard end > start, end &- start <= Self.maximumLabelLength else { return false }
        guard bytes[start] != UInt8(ascii: "-"), bytes[end &- 1] != UInt8(ascii: "-") else { return false }
        if self.labels == 0 { self.firstLabelEnd = end }
        self.labels &+= 1
        return true
    }

    /// The name without its left-most label, or `nil` if it has only one.
    var parent: ByteRange? {
        self.labels > 1 ? ByteRange(self.firstLabelEnd &+ 1, self.name.upperBound) : nil
    }

    var isExact: Bool { self.asterisks == 0 }

    func wildcard(in bytes: Span<UInt8>) -> Wildcard {
        guard self.asterisks > 0 else { return .none }
        var inFirstLabel = 0
        for index in self.name.lowerBound..<self.firstLabelEnd where bytes[index] == UInt8(ascii: "*") {
            inFirstLabel += 1
        }
        guard inFirstLabel == self.asterisks else { return .elsewhere }
        return self.firstLabelEnd - self.name.lowerBound == 1 ? .wholeLeftmostLabel : .partOfLeftmostLabel
    }

    /// Returns `true` if a range holds a DNS name without asterisks.
    static func isExact(_ name: ByteRange, in bytes: Span<UInt8>) -> Bool {
        DomainName(name, in: bytes)?.isExact ?? false
    }

    /// Returns `true` if two ranges hold the same octets except for the case of ASCII letters.
    @inline(__always)
    static func areEqual(
        _ left: ByteRange, in leftBytes: Span<UInt8>,
        _ right: ByteRange, in rightBytes: Span<UInt8>
    ) -> Bool {
        guard left.count == right.count, left.upperBound <= leftBytes.count, right.upperBound <= rightBytes.count
        else { return false }
        for offset in 0..<left.count {
            let leftOctet = leftBytes[left.lowerBound &+ offset]
            guard leftOctet.foldedASCII == rightBytes[right.lowerBound &+ offset].foldedASCII else { return false }
        }
        return true
    }
}

extension UInt8 {
    /// The octet, in lower case if it is an ASCII letter.
    @inline(__always)
    package var foldedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    @inline(__always)
    var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    @inline(__always)
    var isASCIIDigit: Bool { self &- 0x30 < 10 }

    @inline(__always)
    fileprivate var isDomainNameCharacter: Bool {
        self.isASCIILetter || self.isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "*")
    }
}
