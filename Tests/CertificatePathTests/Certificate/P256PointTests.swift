//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Testing

@testable import CertificatePath

@Suite("Points on P-256 are told as BoringSSL tells them")
struct P256PointTests {
    private static let prime: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 12)

    private func isOnCurve(_ octets: [UInt8]) -> Bool {
        P256Point(ByteRange(0, octets.count), in: octets.span)?.isOnCurve == true
    }

    private func isKey(_ octets: [UInt8]) -> Bool { (try? P256.Signing.PublicKey(x963Representation: octets)) != nil }

    @Test("a point off the curve is not on it, whichever bit is wrong")
    func wrongBits() {
        let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        for bit in 8..<point.count * 8 {
            var wrong = point
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!self.isOnCurve(wrong), "bit \(bit)")
        }
    }

    @Test("coordinates are below the prime, or else a point could be written in several ways")
    func largeCoordinates() {
        let zero = [UInt8](repeating: 0, count: 32)
        let all = [UInt8](repeating: 0xFF, count: 32)
        for coordinates in [Self.prime + zero, zero + Self.prime, all + all, Self.prime + Self.prime, zero + zero] {
            #expect(!self.isOnCurve([0x04] + coordinates))
            #expect(!self.isKey([0x04] + coordinates))
        }
        // y of x = 0 is a square root of b, and x + p is more than any coordinate.
        guard let atZero = try? P256.Signing.PublicKey(compressedRepresentation: [0x02] + zero) else {
            Issue.record("no point at x = 0")
            return
        }
        let point = Array(atZero.x963Representation)
        #expect(self.isOnCurve(point))
        #expect(!self.isOnCurve([0x04] + Self.prime + point.suffix(32)))
    }

    @Test("other forms are left to the library")
    func otherForms() {
        let key = P256.Signing.PrivateKey().publicKey
        let point = Array(key.x963Representation)
        #expect(!self.isOnCurve(Array(key.compressedRepresentation)))
        for first in [0x00, 0x02, 0x03, 0x05, 0x06, 0x07] as [UInt8] {
            #expect(!self.isOnCurve([first] + point.dropFirst()))
        }
        #expect(!self.isOnCurve(point + [0]))
        #expect(!self.isOnCurve(point.dropLast()))
        #expect(!self.isOnCurve([]))
    }

    @Test("points of keys are on the curve, and so are those with small and large coordinates")
    func points() {
        for _ in 0..<500 {
            #expect(self.isOnCurve(Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
        }
        var points = 0
        for distance in 0..<200 as Range<UInt8> {
            let small = [UInt8](repeating: 0, count: 31) + [distance]
            var large = Self.prime
            large[31] = 0xFF &- distance
            for x in [small, large] {
                for sign in [0x02, 0x03] as [UInt8] {
                    guard let key = try? P256.Signing.PublicKey(compressedRepresentation: [sign] + x) else { continue }
                    #expect(self.isOnCurve(Array(key.x963Representation)))
                    points += 1
                }
            }
        }
        #expect(points > 200)
    }

    @Test("random coordinates are judged alike")
    func randomCoordinates() {
        for _ in 0..<2_000 {
            let octets = [0x04] + (0..<64).map { _ in UInt8.random(in: 0...255) }
            #expect(self.isOnCurve(octets) == self.isKey(octets))
        }
    }
}
