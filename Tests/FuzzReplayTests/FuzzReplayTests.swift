//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

/// Every input that fuzzing ever found fault with, and some that are hostile by design, through the code that is fuzzed.
@Suite("Inputs of the fuzz targets")
struct FuzzReplayTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/FailCases")

    @Test("What once failed does not fail again", arguments: FuzzTarget.allCases)
    func failCases(target: FuzzTarget) throws {
        let folder = Self.folder.appendingPathComponent(target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        #expect(!names.isEmpty, "a target without a single input would pass for nothing")
        for name in names.sorted() {
            let input = try Data(contentsOf: folder.appendingPathComponent(name))
            let violations = target.violations(for: Array(input))
            #expect(violations.isEmpty, "\(target.rawValue)/\(name)")
        }
    }

    @Test("Nothing is wrong with the inputs fuzzing starts from", arguments: FuzzTarget.allCases)
    func seeds(target: FuzzTarget) throws {
        let seeds = try target.seeds
        #expect(seeds.count > 5)
        for (number, seed) in seeds.enumerated() {
            #expect(target.violations(for: seed).isEmpty, "seed \(number)")
        }
    }

    @Test("Inputs are taken apart and put together again", arguments: FuzzTarget.allCases)
    func inputs(target: FuzzTarget) throws {
        guard let count = target.headerCount else { return }
        for seed in try target.seeds {
            let input = FuzzInput(seed, headerCount: count)
            #expect(input.encoded == seed)
            #expect(input.header.count == count)
        }
        let short = FuzzInput([1, 0, 200, 7], headerCount: 1)
        #expect(short.header == [1])
        #expect(short.chunks == [[7]])
    }
}
