//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Triple DES (NIST SP 800-67), with which programs encrypted keys for thirty years.
struct TripleDES: OldBlockCipher {
    private let first: DES
    private let second: DES
    private let third: DES

    /// Creates a cipher from 24 octets, or from 16 if the third key is the first. `nil` for other lengths.
    init?(key: [UInt8]) {
        guard key.count == 24 || key.count == 16 else { return nil }
        self.first = DES(key: UInt64(octets: key[0..<8]))
        self.second = DES(key: UInt64(octets: key[8..<16]))
        self.third = DES(key: UInt64(octets: key.count == 24 ? key[16..<24] : key[0..<8]))
    }

    func decrypt(_ block: UInt64) -> UInt64 {
        self.first.transform(
            self.second.transform(self.third.transform(block, isEncrypting: false), isEncrypting: true),
            isEncrypting: false)
    }
}

/// The Data Encryption Standard (FIPS 46-3). Its bits are numbered from 1, the highest first, as in the standard.
private struct DES {
    private let keys: [UInt64]

    init(key: UInt64) {
        let selected = Self.permute(key, width: 64, by: Self.permutedChoice1)
        var (left, right) = (selected >> 28, selected & 0xFFF_FFFF)
        var keys: [UInt64] = []
        for shift in Self.shifts {
            left = (left << shift | left >> (28 - shift)) & 0xFFF_FFFF
            right = (right << shift | right >> (28 - shift)) & 0xFFF_FFFF
            keys.append(Self.permute(left << 28 | right, width: 56, by: Self.permutedChoice2))
        }
        self.keys = keys
    }

    func transform(_ block: UInt64, isEncrypting: Bool) -> UInt64 {
        let permuted = Self.permute(block, width: 64, by: Self.initialPermutation)
        var left = UInt32(truncatingIfNeeded: permuted >> 32)
        var right = UInt32(truncatingIfNeeded: permuted)
        for round in 0..<16 {
            let key = self.keys[isEncrypting ? round : 15 - round]
            (left, right) = (right, left ^ Self.mix(right, with: key))
        }
        return Self.permute(UInt64(right) << 32 | UInt64(left), width: 64, by: Self.finalPermutation)
    }

    /// Returns the output of the cipher function. Each group of six bits, of which the outer two belong to the
    /// neighboring groups, selects four bits.
    private static func mix(_ half: UInt32, with key: UInt64) -> UInt32 {
        var output: UInt32 = 0
        for box in 0..<8 {
            let turn = UInt32((4 * box + 31) % 32)
            let neighbors = (half << turn | half >> ((32 - turn) % 32)) >> 26
            let chosen = Int(neighbors) ^ Int(truncatingIfNeeded: key >> (42 - 6 * box)) & 0x3F
            output |= Self.substitutions[64 * box + chosen]
        }
        return output
    }

    private static func permute(_ value: UInt64, width: UInt8, by table: [UInt8]) -> UInt64 {
        table.reduce(0) { $0 << 1 | (value >> UInt64(width - $1)) & 1 }
    }
}

// MARK: - Tables of FIPS 46-3

extension DES {
    private static let initialPermutation: [UInt8] = [
        58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32,
        24,
        16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47,
        39,
        31, 23, 15, 7,
    ]
    private static let finalPermutation: [UInt8] = [
        40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53,
        21,
        61, 29, 36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41,
        9,
        49, 17, 57, 25,
    ]
    private static let permutedChoice1: [UInt8] = [
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36, 63,
        55,
        47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    ]
    private static let permutedChoice2: [UInt8] = [
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37, 47, 55,
        30,
        40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    ]
    private static let shifts: [UInt64] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]
    private static let permutation: [UInt8] = [
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11,
        4,
        25,
    ]

    /// The selection functions S1 to S8, indexed by their six bits, with the permutation P already applied.
    private static let substitutions: [UInt32] = Self.selections.enumerated().flatMap { box, digits in
        let rows = digits.utf8.map { UInt64($0.hexadecimalValue ?? 0) }
        return (0..<64).map { bits in
            let value = rows[(bits >> 4 & 2 | bits & 1) * 16 + (bits >> 1 & 15)]
            return UInt32(
                truncatingIfNeeded: Self.permute(value << UInt64(28 - 4 * box), width: 32, by: Self.permutation))
        }
    }

    /// The selection functions, each with four rows of sixteen digits.
    private static let selections = [
        "E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D",
        "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
        "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C",
        "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
        "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453",
        "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
        "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C",
        "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B",
    ]
}
