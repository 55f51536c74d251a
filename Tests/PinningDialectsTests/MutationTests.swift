//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import PinningDialects

extension PinningConfiguration {
    /// How many domains are pinned, and how many pins they have.
    fileprivate var size: (domains: Int, pins: Int) {
        let sets = self.domains.compactMap(\.pins)
        return (sets.count, sets.reduce(0) { $0 + $1.requirements.reduce(0) { $0 + $1.pins.count } })
    }
}

@Suite struct MutationTests {
    @Test(arguments: PinningDialect.allCases)
    func `No octet less or other loses a pin unsaid`(dialect: PinningDialect) throws {
        let bytes = Array(try #require(Sample.files[dialect]).utf8)
        let original = try #require(PinningReader(dialect).read(bytes).configuration).size
        for index in bytes.indices {
            var deleted = bytes
            deleted.remove(at: index)
            Self.check(deleted, dialect, original)
            for bit in [0, index % 8] {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                Self.check(flipped, dialect, original)
            }
        }
    }

    private static func check(_ bytes: [UInt8], _ dialect: PinningDialect, _ original: (domains: Int, pins: Int)) {
        let reading = PinningReader(dialect).read(bytes)
        guard let configuration = reading.configuration, reading.diagnostics.isEmpty else { return }
        let size = configuration.size
        #expect(
            size.domains >= original.domains && size.pins >= original.pins, "\(String(decoding: bytes, as: UTF8.self))")
    }
}
