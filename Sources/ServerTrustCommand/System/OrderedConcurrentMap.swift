//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Work on many things, a few at a time, its results in the order of the things.
enum OrderedConcurrentMap {
    /// Works on all things.
    ///
    /// - Parameters:
    ///   - items: The things.
    ///   - limit: How many to work on at the same time.
    ///   - work: What to do with one. The first error ends all.
    ///   - emit: Receives the results, each as soon as those before it are there.
    static func forEach<Item: Sendable, Result: Sendable>(
        _ items: [Item], limit: Int = 8, _ work: @escaping @Sendable (Item) async throws -> Result,
        emit: (Result) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var waiting = items.enumerated().makeIterator()
            func startNext() {
                guard let (index, item) = waiting.next() else { return }
                group.addTask { (index, try await work(item)) }
            }
            for _ in 0..<limit { startNext() }
            var early: [Int: Result] = [:]
            var next = 0
            while let (index, result) = try await group.next() {
                startNext()
                early[index] = result
                while let result = early.removeValue(forKey: next) {
                    try emit(result)
                    next += 1
                }
            }
        }
    }
}
