//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The simple lower-case mapping of Unicode, without the standard library's string for each scalar: a certificate may hold
/// a hundred thousand letters, and a fixed table folds them alike on every system.
enum LowercaseMapping {
    /// Returns the lower-case form of a scalar, or the scalar itself where it has none of one scalar.
    @inline(__always)
    static func lowercased(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return (0x41...0x5A).contains(scalar) ? scalar | 0x20 : scalar }
        return Self.search(scalar)
    }

    private static func search(_ scalar: UInt32) -> UInt32 {
        var (low, high) = (0, Self.runs.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.runs[middle].last < scalar { low = middle + 1 } else { high = middle }
        }
        guard low < Self.runs.count else { return scalar }
        let run = Self.runs[low]
        guard run.first <= scalar, (scalar - run.first) % run.step == 0 else { return scalar }
        return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(run.distance))
    }
}
