//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Sequence<UInt8> {
    /// Two digits for each octet, separated by colons: `1C:2E:A1`.
    package var colonedHexadecimal: String {
        self.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
