//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads bits, the lowest of each octet first (RFC 1951 §3.1.1).
struct BitReader {
    private var octets: ArraySlice<UInt8>
    private var position: Int
    private var held: UInt64 = 0
    private var count = 0

    init(_ octets: ArraySlice<UInt8>) {
        self.octets = octets
        self.position = octets.startIndex
    }

    /// A place in the input, to go back to while nothing was added.
    struct Place {
        fileprivate let position: Int
        fileprivate let held: UInt64
        fileprivate let count: Int
    }

    /// Where the reader is.
    var place: Place { Place(position: self.position, held: self.held, count: self.count) }

    /// Goes back.
    mutating func goBack(to place: Place) {
        self.position = place.position
        self.held = place.held
        self.count = place.count
    }

    /// Adds to the end of the input, and forgets what was taken.
    mutating func append(_ octets: some Collection<UInt8>) {
        var rest = Array(self.octets[self.position...])
        rest.append(contentsOf: octets)
        self.octets = rest[...]
        self.position = 0
    }

    /// The whole octets that are left, after ``alignToOctet()``.
    var octetCount: Int { self.octets.endIndex - self.position + self.count / 8 }

    /// Makes as many bits ready as there are, up to 56.
    private mutating func fill() {
        while self.count <= 48, self.position < self.octets.endIndex {
            self.held |= UInt64(self.octets[self.position]) << UInt64(self.count)
            self.position += 1
            self.count += 8
        }
    }

    /// The next bits, without taking them; zeros follow the end of the input.
    mutating func peek(_ count: Int) -> Int {
        if self.count < count { self.fill() }
        return Int(self.held & ((1 << UInt64(count)) - 1))
    }

    /// Takes bits that were seen.
    mutating func skip(_ count: Int) throws(InflateError) {
        guard count <= self.count else { throw .truncated }
        self.held >>= UInt64(count)
        self.count -= count
    }

    /// Takes up to 16 bits.
    mutating func bits(_ count: Int) throws(InflateError) -> Int {
        let value = self.peek(count)
        try self.skip(count)
        return value
    }

    /// Drops the rest of an octet that was begun.
    mutating func alignToOctet() {
        let rest = self.count % 8
        self.held >>= UInt64(rest)
        self.count -= rest
    }

    /// Takes whole octets, after ``alignToOctet()``.
    mutating func octets(_ count: Int) throws(InflateError) -> ArraySlice<UInt8> {
        let start = self.position - self.count / 8
        guard count <= self.octets.endIndex - start else { throw .truncated }
        self.held = 0
        self.count = 0
        self.position = start + count
        return self.octets[start..<self.position]
    }

    /// What was not taken, after ``alignToOctet()``.
    var rest: ArraySlice<UInt8> { self.octets[(self.position - self.count / 8)...] }
}
