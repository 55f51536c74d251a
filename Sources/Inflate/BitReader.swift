//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of bits, which takes the lowest bit of each octet first (RFC 1951 §3.1.1).
struct BitReader {
    private var octets: ArraySlice<UInt8>
    private var position: Int
    private var held: UInt64 = 0
    private var count = 0

    init(_ octets: ArraySlice<UInt8>) {
        self.octets = octets
        self.position = octets.startIndex
    }

    /// A place in the input. The reader can return to it until more input is added.
    struct Place {
        fileprivate let position: Int
        fileprivate let held: UInt64
        fileprivate let count: Int
    }

    var place: Place { Place(position: self.position, held: self.held, count: self.count) }

    mutating func goBack(to place: Place) {
        self.position = place.position
        self.held = place.held
        self.count = place.count
    }

    /// Appends octets to the input and drops those already taken.
    mutating func append(_ octets: some Collection<UInt8>) {
        var rest = Array(self.octets[self.position...])
        rest.append(contentsOf: octets)
        self.octets = rest[...]
        self.position = 0
    }

    /// The number of whole octets left, after ``alignToOctet()``.
    var octetCount: Int { self.octets.endIndex - self.position + self.count / 8 }

    /// Buffers as many bits as the input has, up to 56.
    private mutating func fill() {
        while self.count <= 48, self.position < self.octets.endIndex {
            self.held |= UInt64(self.octets[self.position]) << UInt64(self.count)
            self.position += 1
            self.count += 8
        }
    }

    /// Returns the next bits without taking them, padded with zeros at the end of the input.
    mutating func peek(_ count: Int) -> Int {
        if self.count < count { self.fill() }
        return Int(self.held & ((1 << UInt64(count)) - 1))
    }

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

    /// The octets not yet taken, after ``alignToOctet()``.
    var rest: ArraySlice<UInt8> { self.octets[(self.position - self.count / 8)...] }
}
