//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import Foundation
import ServerTrust

extension Benchmarks {
    /// What one evaluation of very large certificates takes at most, beside the certificates themselves.
    static func memory() throws {
        print("\n| certificates | size, KiB | peak beside it | ratio |\n|---|---|---|---|")
        for (title, names, constraints) in [
            ("a leaf of 40,000 names", 40_000, 1), ("a root of 40,000 name constraints", 1, 40_000),
            ("10,000 of each", 10_000, 10_000),
        ] {
            let (leaf, root) = try Self.constrained(names: names, constraints: constraints, isPermitting: false)
            let (leafBytes, rootBytes) = (leaf.view.bytes, root.view.bytes)
            let size = (leafBytes.count + rootBytes.count) / 1_024
            // What making them left free would hide what is taken.
            _ = trimHeap(0)
            let before = try Self.status("VmRSS:")
            // Makes the peak what is in use now (proc(5), clear_refs).
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            let certificates = [try Certificate(der: leafBytes), try Certificate(der: rootBytes)]
            var trust = try Trust(
                certificates: [certificates[0]], policy: .basicX509, configuration: .only([certificates[1]]))
            trust.profile = .rfc5280
            let result = trust.evaluate()
            let peak = max(0, try Self.status("VmHWM:") - before)
            precondition(result.isTrusted || result.failure?.reasons.first?.reason == .budgetExceeded(.nameComparisons))
            print("| \(title) | \(size) | \(peak) | \(String(format: "%.2f", Double(peak) / Double(size))) |")
        }
    }

    /// A figure of proc(5)'s status, in KiB.
    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// Gives what the heap keeps for later back to the system; not in Swift's Glibc module.
@_silgen_name("malloc_trim")
private func trimHeap(_ kept: Int) -> Int32
