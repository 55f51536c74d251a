//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension UInt8 {
    /// The value of a hexadecimal digit, or `nil` for another octet.
    @inline(__always)
    package var hexadecimalValue: UInt8? {
        let digit = self &- 0x30
        if digit < 10 { return digit }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }
}

extension [UInt8] {
    /// Reads hexadecimal digits of either case. `nil` if their number is odd or one of them is not a digit.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        let values = digits.compactMap(\.hexadecimalValue)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 &+ 1] }
    }
}
