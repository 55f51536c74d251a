//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A point of two coordinates that may be on P-256 (SEC 2 §2.4.2).
///
/// A leaf's key verifies no signature here, yet the verdict depends on its validity. Making the library's key object
/// for the check takes ten times as long.
struct P256Point {
    private let x: P256Element
    private let y: P256Element

    /// Reads an uncompressed point (SEC 1 §2.3.4). `nil` for other octets.
    init?(_ octets: ByteRange, in bytes: Span<UInt8>) {
        guard octets.count == 65, octets.upperBound <= bytes.count, bytes[octets.lowerBound] == 0x04,
            let x = P256Element(at: octets.lowerBound &+ 1, in: bytes),
            let y = P256Element(at: octets.lowerBound &+ 33, in: bytes)
        else { return nil }
        self.x = x
        self.y = y
    }

    /// `true` if y² = x³ - 3x + b. Each product is divided by 2²⁵⁶, and each side consists of two products.
    var isOnCurve: Bool {
        (self.y * self.y - .b * .one) * .one == (self.x * self.x - .three * .one) * self.x
    }
}

/// A number below the prime of P-256, which is 2²⁵⁶ - 2²²⁴ + 2¹⁹² + 2⁹⁶ - 1.
private struct P256Element: Equatable {
    /// The limbs, the least significant first.
    private var limbs: SIMD4<UInt64>

    private init(_ limbs: SIMD4<UInt64>) { self.limbs = limbs }

    static var one: P256Element { P256Element([1, 0, 0, 0]) }
    static var three: P256Element { P256Element([3, 0, 0, 0]) }
    static var b: P256Element {
        P256Element([0x3BCE_3C3E_27D2_604B, 0x651D_06B0_CC53_B0F6, 0xB3EB_BD55_7698_86BC, 0x5AC6_35D8_AA3A_93E7])
    }
    private static var prime: P256Element {
        P256Element([0xFFFF_FFFF_FFFF_FFFF, 0x0000_0000_FFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001])
    }

    /// Reads 32 octets, the most significant first. `nil` if the number is not below the prime.
    init?(at start: Int, in bytes: Span<UInt8>) {
        self.limbs = .zero
        for index in 0..<4 {
            var limb: UInt64 = 0
            for octet in 0..<8 { limb = limb &<< 8 | UInt64(bytes[start &+ 8 &* (3 &- index) &+ octet]) }
            self.limbs[index] = limb
        }
        guard self.subtracting(.prime).isNegative else { return nil }
    }

    /// Returns the product divided by 2²⁵⁶, modulo the prime (Montgomery, "Modular multiplication without trial division", 1985).
    static func * (left: P256Element, right: P256Element) -> P256Element {
        var (sum, top) = (P256Element(.zero), 0 as UInt128)
        for index in 0..<4 {
            top &+= UInt128(sum.add(left.limbs[index], times: right))
            // The lowest limb of the prime is -1. Adding the prime this many times makes the lowest limb of the sum zero.
            top &+= UInt128(sum.add(sum.limbs[0], times: .prime))
            sum.limbs = [sum.limbs[1], sum.limbs[2], sum.limbs[3], UInt64(truncatingIfNeeded: top)]
            top &>>= 64
        }
        let (difference, isNegative) = sum.subtracting(.prime)
        return isNegative && top == 0 ? sum : difference
    }

    static func - (left: P256Element, right: P256Element) -> P256Element {
        var (difference, isNegative) = left.subtracting(right)
        if isNegative { _ = difference.add(1, times: .prime) }
        return difference
    }

    @inline(__always)
    private func subtracting(_ other: P256Element) -> (difference: P256Element, isNegative: Bool) {
        var (difference, borrow) = (self, false)
        for index in 0..<4 {
            let (first, isBelow) = self.limbs[index].subtractingReportingOverflow(other.limbs[index])
            let (second, isBelowBorrow) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            (difference.limbs[index], borrow) = (second, isBelow || isBelowBorrow)
        }
        return (difference, borrow)
    }

    /// Adds a multiple of another number.
    ///
    /// - Returns: The part of the sum beyond 256 bits.
    @inline(__always)
    private mutating func add(_ factor: UInt64, times other: P256Element) -> UInt64 {
        var carry: UInt128 = 0
        for index in 0..<4 {
            // At most (2⁶⁴ - 1)² + 2 (2⁶⁴ - 1), which is 2¹²⁸ - 1.
            carry = UInt128(factor) &* UInt128(other.limbs[index]) &+ UInt128(self.limbs[index]) &+ carry
            self.limbs[index] = UInt64(truncatingIfNeeded: carry)
            carry &>>= 64
        }
        return UInt64(truncatingIfNeeded: carry)
    }
}
