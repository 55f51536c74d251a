//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A writer of BER in the definite form, with lengths in the fewest octets (X.690 §10.1) and OCTET STRINGs in one part (§10.2).
///
/// It is for the containers that programs write in BER: PKCS #12 (RFC 7292 §4) and PKCS #7 (RFC 5280 §4.2.2.1). No
/// signed data passes through it. A certificate is DER (RFC 5280 §4.1.1.3), and one in another form stays unreadable.
struct BERRewriter {
    private let input: [UInt8]
    /// The depth from which elements are copied.
    private let levels: Int
    private var position = 0
    private var output: [UInt8] = []
    private var remainingElements = Self.maximumElements

    /// The limit in octets, far above the size of an identity or of the certificates of an issuer.
    private static let maximumSize = 4 << 20
    /// The limit on depth, twice that of a PKCS #12 file with more nested safes than are read.
    private static let maximumDepth = 64
    /// The limit on elements, including the parts of strings. A megabyte in parts of 1,000 octets has 1,049.
    private static let maximumElements = 16_384

    /// Returns one element in the definite form. An element of 65,536 octets or more may become one octet longer than its BER.
    ///
    /// - Parameters:
    ///   - ber: The element, without trailing bytes.
    ///   - levels: The levels that are rewritten. Deeper elements are copied as they are.
    static func definite(_ ber: [UInt8], levels: Int = Self.maximumDepth) throws(DERError) -> [UInt8] {
        guard ber.count <= Self.maximumSize else { throw DERError(.tooLarge, at: Self.maximumSize) }
        var rewriter = BERRewriter(input: ber, levels: levels)
        rewriter.output.reserveCapacity(ber.count)
        try rewriter.rewriteElement(before: ber.count, depth: 0)
        guard rewriter.position == ber.count else { throw DERError(.trailingBytes, at: rewriter.position) }
        return rewriter.output
    }

    private init(input: [UInt8], levels: Int) {
        self.input = input
        self.levels = levels
    }

    /// Rewrites the next element. A part of an OCTET STRING adds its octets without a header.
    private mutating func rewriteElement(
        before limit: Int, depth: Int, isPart: Bool = false
    ) throws(DERError) {
        let (start, mark) = (self.position, self.output.count)
        guard depth < Self.maximumDepth, Budget.spend(&self.remainingElements) else {
            throw DERError(.tooManyElements, at: start)
        }
        let header = try self.header(before: limit)
        guard !isPart || header.isOctetString else { throw DERError(.unexpectedTag, at: start) }
        let isCopied = depth >= self.levels && !isPart
        if let end = header.end, isCopied || !header.tag.isConstructed {
            self.output += self.input[self.position..<end]
            self.position = end
        } else {
            try self.rewriteContents(of: header, before: header.end ?? limit, depth: depth)
        }
        // Both calls move each octet at most once for each level above it.
        if isCopied {
            self.output.replaceSubrange(mark..., with: self.input[start..<self.position])
        } else if !isPart {
            let tag = header.isOctetString ? DERTag.octetString : header.tag
            self.output.insert(contentsOf: Self.header(tag, self.output.count - mark), at: mark)
        }
    }

    private mutating func rewriteContents(of header: Header, before limit: Int, depth: Int) throws(DERError) {
        while !self.passEnd(of: header, before: limit) {
            try self.rewriteElement(before: limit, depth: depth + 1, isPart: header.isOctetString)
        }
    }

    /// Returns `true` at the end of an element, after moving past its end-of-contents octets (X.690 §8.1.5).
    private mutating func passEnd(of header: Header, before limit: Int) -> Bool {
        guard header.end == nil else { return self.position == limit }
        guard limit - self.position >= 2, self.input[self.position] == 0, self.input[self.position + 1] == 0 else {
            return false
        }
        self.position += 2
        return true
    }
}

// MARK: - Tags and lengths

extension BERRewriter {
    private struct Header {
        let tag: DERTag
        /// The offset of the element's end, or `nil` if the length is indefinite.
        let end: Int?

        var isOctetString: Bool { self.tag.octet & ~0x20 == DERTag.octetString.octet }
    }

    /// Reads a tag and a length, which must fit before a limit.
    private mutating func header(before limit: Int) throws(DERError) -> Header {
        let start = self.position
        guard limit - start >= 2 else { throw DERError(.truncated, at: start) }
        let tag = DERTag(octet: self.input[start])
        guard tag.octet & 0x1F != 0x1F else { throw DERError(.highTagNumber, at: start) }
        guard tag.octet & ~0x20 != 0 else { throw DERError(.unexpectedTag, at: start) }
        let first = self.input[start + 1]
        self.position += 2
        if first == 0x80 {
            guard tag.isConstructed else { throw DERError(.indefiniteLength, at: start) }
            return Header(tag: tag, end: nil)
        }
        let count = first < 0x80 ? Int(first) : self.longLength(Int(first & 0x7F), before: limit)
        guard let count, count <= limit - self.position else { throw DERError(.truncated, at: start) }
        return Header(tag: tag, end: self.position + count)
    }

    /// Reads a long length. X.690 §8.1.3.5 allows more octets than needed. The limit of four is that of ``DERReader``.
    private mutating func longLength(_ octets: Int, before limit: Int) -> Int? {
        guard octets <= 4, octets <= limit - self.position else { return nil }
        defer { self.position += octets }
        return self.input[self.position..<self.position + octets].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func header(_ tag: DERTag, _ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [tag.octet, UInt8(truncatingIfNeeded: count)] }
        let octets = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
        let length = (0..<octets).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        return [tag.octet, 0x80 | UInt8(truncatingIfNeeded: octets)] + length
    }
}

extension DERTag {
    fileprivate var isConstructed: Bool { self.octet & 0x20 != 0 }
}
