//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension RandomNumberGenerator {
    /// Returns random octets, eight from each number, because every number takes a call of the system's generator.
    ///
    /// - Parameter count: The number of octets.
    package mutating func octets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(max(0, count))
        while octets.count < count {
            let number = self.next()
            for shift in stride(from: 0, to: min(64, 8 * (count - octets.count)), by: 8) {
                octets.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
            }
        }
        return octets
    }
}
