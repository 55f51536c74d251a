//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Concurrent work on many items with results in the order of the items.
enum OrderedConcurrentMap {
    /// Processes all items.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - limit: The number of items in progress at the same time.
    ///   - work: Processes one item. The first error ends the work on all items.
    ///   - emit: Receives the results in order, each as soon as all earlier ones are complete.
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
