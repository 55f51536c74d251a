//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import CertificatePath

@Suite("Lower-case mapping")
struct LowercaseMappingTests {
    @Test("The table maps every scalar of Unicode 14 as the standard library does")
    func table() {
        let different = (0...0x10FFFF as ClosedRange<UInt32>).filter { value in
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14 else {
                return false
            }
            let mapping = Array(scalar.properties.lowercaseMapping.unicodeScalars)
            // A letter of version 14 may have got its counterpart later: such pairs are left out.
            guard mapping.count == 1, let first = mapping.first, first.properties.age.map({ $0.major <= 14 }) == true
            else { return LowercaseMapping.lowercased(value) != value }
            return LowercaseMapping.lowercased(value) != first.value
        }
        #expect(different.isEmpty, "\(different.prefix(8).map { String($0, radix: 16) })")
    }
}
