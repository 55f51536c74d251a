//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The simple lower-case mapping of Unicode.
///
/// The standard library would make a string for each scalar, and a certificate may hold a hundred thousand letters. A
/// fixed table also folds them alike on every system.
enum LowercaseMapping {
    /// Returns the lower-case form of a scalar, or the scalar itself if it has none of one scalar.
    @inline(__always)
    static func lowercased(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return (0x41...0x5A).contains(scalar) ? scalar | 0x20 : scalar }
        return Self.search(scalar)
    }

    private static func search(_ scalar: UInt32) -> UInt32 {
        let table = Self.table
        let page = Int(scalar >> 8)
        guard page < table.pages.count else { return scalar }
        let distance = table.distances[Int(table.pages[page]) << 8 | Int(scalar & 0xFF)]
        return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(distance))
    }

    /// The distance of each scalar to its lower-case form, in pages of 256 scalars. The many pages without a distance
    /// share the first.
    private struct Table {
        var pages: [UInt8] = []
        var distances = [Int32](repeating: 0, count: 256)

        init() {
            for run in LowercaseMapping.runs {
                for scalar in stride(from: run.first, through: run.last, by: Int(run.step)) {
                    self.set(run.distance, for: scalar)
                }
            }
        }

        private mutating func set(_ distance: Int32, for scalar: UInt32) {
            let page = Int(scalar >> 8)
            while self.pages.count <= page { self.pages.append(0) }
            if self.pages[page] == 0 {
                self.pages[page] = UInt8(truncatingIfNeeded: self.distances.count >> 8)
                self.distances += [Int32](repeating: 0, count: 256)
            }
            self.distances[Int(self.pages[page]) << 8 | Int(scalar & 0xFF)] = distance
        }
    }

    private static let table = Table()
}
